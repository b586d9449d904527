"""The search for reasons why a recursion ends."""
