"""Lean's errors for whoever writes Lean: classified, with suggestions, and a repair prompt for each category."""
