"""English to Lean that Lean has checked."""
