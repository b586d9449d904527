"""What a language offers and what is asked of it: goals, outcomes, theorems, sequents, the log of attempts."""
