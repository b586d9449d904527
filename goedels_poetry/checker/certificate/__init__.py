"""A certificate on disk: its files, its fields, what the caller chooses, the report. The same for every language."""
