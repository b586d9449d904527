"""The search for evidence that recursive definitions terminate; `kernel.termination` checks it."""
