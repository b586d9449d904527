"""What ``refuted`` by values rests on: evaluation of terms, and what a solver has to confirm of it."""
