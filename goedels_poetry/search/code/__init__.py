"""The agents that look for a Python function: write or enumerate, verify, decide, try to break it, correct."""
