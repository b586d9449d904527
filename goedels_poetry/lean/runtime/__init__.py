"""Lean, whichever way it is had: one protocol, and the pools that speak it."""
