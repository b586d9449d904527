"""The version of the program; it stands in every certificate."""

__version__ = "0.1.0"
