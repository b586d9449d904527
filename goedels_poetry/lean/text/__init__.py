"""Lean text: sources of users, sketches and proofs, names that are near, premises."""
