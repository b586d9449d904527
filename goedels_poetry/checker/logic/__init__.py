"""Certificates of logic programs: the program as it was, and what was found; checking one decides it anew."""
