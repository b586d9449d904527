"""What a run is about: a theorem, a claim in plain words, a question; each a `Task` (see `base`) in its own file."""
