"""The trusted base for Lean: a file against the user's original, in a fresh Lean; certificates; anyone's files."""
