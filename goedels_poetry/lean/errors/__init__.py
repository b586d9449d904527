"""Lean's error messages: what is wrong, and what to try."""
