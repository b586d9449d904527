"""What a run is about, each kind with its moves: a theorem or a claim, a question, a function, a change.

`base` has what all are, a `Task`, and the transitions that all share for which a model writes something.
`code_file` reads a function's task from a file.
"""
