"""From the text of a user to the core problem."""
