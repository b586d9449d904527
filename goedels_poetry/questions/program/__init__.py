"""Logic programs: premises, goals, notes, and their reader for SMT-LIB."""
