"""How recursive definitions come to an end: looked for here, checked by `kernel.termination`.

`search` has components (sizes of arguments, measures from `candidates`), `nested` bounds for calls inside of calls,
`bounds` the sizes of results.
"""
