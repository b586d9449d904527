"""Premises for a goal: what its file, its project, the library and search services have that may help to prove it."""
