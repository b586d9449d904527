"""What a run is about: a theorem, a claim in plain words, a question."""
