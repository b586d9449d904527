"""Integers: induction on them, numeric functions."""
