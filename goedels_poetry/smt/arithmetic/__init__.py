"""Goals and lemmas about integers.

`interpret`: what functions on datatypes come to in integers, goals and guards of measured functions proved there.
"""
