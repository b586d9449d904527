"""Notation."""
