"""The approach of a candidate, taken from its syntax tree, and bans on approaches.

Who calls whom; nothing of the candidate is ever run:

* `classify` reads the file and decides; `imports` gives functions of other modules their own names first.
* `units` has the functions of the file and who mentions whom; `pruning` takes away what does not matter for the result.
* `recursion` looks at functions that reach themselves: `caching` tells whether results are kept, `parts` what the calls
  are given.
* `looping` finds bisections and merges in loops, and the tags of loops.
* `choices` finds greedy methods, with `picking` (those that choose anew in every round) and `reaching` (those that
  never look back).
* `tables` finds dynamic programming, `recurrences` that in a few variables.
* `plainly` is asked last: a formula, or a library's work.
* `flow` and `syntax` are what all of them use to see through names.
* `words` has the names and their synonyms, `record` the answer, `ban` the language of bans.

Decisions where programmers differ:

* A bisection, with recursion or with a loop, is divide and conquer, tagged ``bisection``. So is recursive power by
  squaring (``squaring``) and a merge sort from the bottom (``bottom-up``). A power by squaring in a loop is iteration.
* Fibonacci in two variables is iteration, tagged ``rolling``. A best value so far that is worked out from an earlier
  one (Kadane, robbing houses) is dynamic programming, and so is a table whose entries come from others. A running sum,
  a sieve and a breadth-first search are iteration.
* Recursion on the children of a tree is recursion, on halves or partitions divide and conquer. Backtracking is
  recursion with a tag, brute force is what it is written as with a tag.
* A comprehension is iteration (``functional``); map, filter and reduce with nothing else are library calls, as is a
  sequence turned round by its slice.
"""
