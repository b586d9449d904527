"""What an answer to a question rests on: programs, their premises, what follows from them."""
