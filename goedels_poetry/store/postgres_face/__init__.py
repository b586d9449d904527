"""Runs in a PostgreSQL database, for who has many machines write. Nothing of it is loaded without a URL.

`connection` has the face of `sqlite3` that the proof store uses; `schema` the tables, each with the run as its last
column, behind views that show one run; `database` the runs themselves: their cards, their locks.
"""
