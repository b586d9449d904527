"""SMT-LIB 2.6 as a proof language; the language itself is imported on first use, terms and printer need none of it."""
