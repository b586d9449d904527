"""The approach of a candidate, taken from its syntax tree, and bans on approaches.

Nothing of the candidate is ever run:

* `functions` brings the file into a normal form, has its functions and who mentions whom, and looks at those that reach
  themselves.
* `classify` decides, also by what a loop does besides going round; a loop that does no more is iteration, and what has
  no loop a formula or a library's work.
* `ban` has strategies, tags, synonyms, the answer, and the language of bans.

Decisions where programmers differ:

* A bisection, with recursion or with a loop, is divide and conquer, tagged ``bisection``. So is recursive power by
  squaring (``squaring``) and a merge sort from the bottom. A power by squaring in a loop is iteration.
* Fibonacci in two variables is iteration, without a tag. A best value so far that is worked out from an earlier
  one (Kadane, robbing houses) is dynamic programming, and so is a table whose entries come from others. A running sum,
  a sieve and a breadth-first search are iteration.
* Recursion on the children of a tree is recursion, on halves or partitions divide and conquer. Backtracking is
  recursion with a tag, brute force is what it is written as with a tag.
* A comprehension is iteration (``functional``); map, filter and reduce with nothing else are library calls, as is a
  sequence turned round by its slice.
"""
