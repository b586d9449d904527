"""Values at which a goal is false."""
