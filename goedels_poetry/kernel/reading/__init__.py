"""From text to what the kernel works on: theorems, terms, certificates.

`reader`: characters to S-expressions with places. `declare`, `symbols`: what a script declares,
and what names mean. `elaborate`, with `literals` and `matching`, by the typing rules of SMT-LIB: expressions to
terms. `parser` puts them together. `hints`: what may mend a mistake.

`certificate` reads what a proof says. `faithful` asks solvers whether a theorem was read as it stands:
the reader is the one part of what is trusted that a theorem's own text can be held against.
"""
