"""The trusted base for Lean: declarations as data, what they say, what they rest on, and a kernel of our own.

Who calls whom: a text has been elaborated by a Lean that is then thrown away; what it declared comes as data.

    stream    what a text of the format comes to; every walk over it looks at the clock
    data      reads such a text, strictly
    compare   the data of a stranger against those of the user's original
    select    what the theorems need of the data, in order; what they rest on (axioms)
    write     that again as data, for Lean's kernel in a fresh process and for ours
    features  what it uses of the language where kernels were at fault before
    second    runs our kernel: `typechecker`, a program of its own
"""
