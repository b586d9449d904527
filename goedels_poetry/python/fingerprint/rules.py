"""What makes a loop more than a loop: patterns of divide and conquer, greedy methods and dynamic programming.

A rule holds for a loop if all its statements are found in it. To tell one more method, add one here.
"""

from __future__ import annotations

BISECTION = ("A = near(has((has(A) @ has(B)) // 2)); B = near(has((has(A) @ has(B)) // 2))",)
BOTTOM_UP = ("W = W * 2; range(_, _, has(W))",)

GREEDY_IN_ORDER = (
    "A = A + has(B); B = B + _",  # waiting times
    "if F != G:\n    T[has(F)] = has(G)",  # components are joined
    "if F == G:\n    continue\nT[has(F)] = has(G)",
    "if not T[I]:\n    T[I] = True",  # a free place
    "if has(B + _):\n    T[_] = T[_] + _",  # the first bin that has room
)
"""In a loop over what was sorted."""
GREEDY_ELEMENTS = (
    "while has(C) <= A:\n    A = A - has(C)",
    "A // C; A = A % C",
    "A // C; A = A - has(C)",
    "(_, A) = divmod(A, C)",
)
"""In a loop whose elements are C."""
GREEDY = (
    "heapreplace(_, _)",
    "L = L - has(argbest(has(L)))",
    "L.remove(argbest(has(_)))",
    "B = argbest(has(L)); L = L - has(B)",
    "B = argbest(has(L)); L.remove(has(B))",
    "B = argbest(has(L)); L.add(has(B))",
    "if has(M[V]):\n    U = best(U, V)\nM[U] = True",
    "if has(V not in M):\n    U = best(U, V)\nM.add(U)",
    "C = C - has(best(C, _))",
    "N = N - has(has(N) ** 0.5)",
    "N = N - has(isqrt(has(N)))",
    "N = _ - D; ceil(has(D // N))",
    "F = best(F, has(I + _)); F < I",
    "F = best(F, has(I + _)); E = F; I == E",
    "F = best(F, _[_]); F == I",
    "if G <= I + _[I]:\n    G = I",
    "if A < B:\n    P = P + (B - A)",
    "P = P + has(best(0, A[_] - A[_]))",
    "T = T + _\nif T < 0:\n    S = has(I + 1)\n    T = best(T, 0)",
    "while has(_ < S[_]):\n    S.pop()\n    K = K - 1",
    "while has(S[_] < _):\n    S.pop()\n    K = K - 1",
    "while C in has(T[_]):\n    _\nT[_] = C",
    "T[_] = has(next(has(_ not in has(T[_]))))",
    "T[_] = has(min(has(_ not in has(T[_]))))",
)
GAINS = ("sum(every(best(0, A - B)))", "sum(B - A for _ in _ if A < B)")
"""Outside of loops."""

SPREADS = (
    "if alleged(T[J]):\n    T[I] = True",
    "T[I] = has(T[J] @ T[K])",
    "T[I] = has(T[I] @ has(T[J]))",
    "T[I] = has(choice(has(T[J] @ _)))",
    "T[I] = has(_ @ has(choice(has(T[J]))))",
    "Q = has(choice(has(T[J] @ _))); T[I] = has(Q)",
    "T[I] = has(zip(has(T[J]), has(T[J])))",
    "R = has(zip(has(R), has(R)))",
    "R = has(every(has(R[J] @ R[K])))",
    "R = has(every(has(_ @ has(best(R[J], R[K])))))",
    "S = S | has({_ @ _ for _ in S})",
    "S = S | S << _",
)
"""Entries of a table from other entries of it, rows from rows."""
ONE_ENTRY = ("T[I] = has(T[J] @ _)",)
"""A table over places alone; with the elements of another sequence it is a running sum."""
BEST_SO_FAR = (
    "C = has(best(has(C @ _), _))",
    "A = has(best(_, has(B @ _))); B = has(A)",
    "A = B @ _; B = best(A, B)",
    "A = _ @ has(best(B, _)); B = has(A)",
    "R = R + _; R = best(R, 0); B = best(B, R)",
    "C = choice(has(C @ X)); B = best(B, C)",
)
"""Recurrences of best values in a few variables."""
