"""Operators named as in z3's Python interface mean what they mean there: z3 itself compares the two."""

from __future__ import annotations

import pytest
import z3
from small_world import program

from goedels_poetry.kernel.printer import show
from goedels_poetry.questions.json.reader import read_json

a, b = z3.BitVecs("a b", 8)
i, j = z3.Ints("i j")
u, v = z3.Reals("u v")
p, q, r = z3.Bools("p q r")
s = z3.String("s")
grid = z3.Array("grid", z3.IntSort(), z3.ArraySort(z3.IntSort(), z3.BoolSort()))

SAME: dict[str, z3.BoolRef] = {
    "a + b * 3 - 1 == b": a + b * 3 - 1 == b,
    "a / b == 2": a / b == 2,
    "a % b == 2": a % b == 2,
    "UDiv(a, b) == URem(a, b)": z3.UDiv(a, b) == z3.URem(a, b),
    "SRem(a, b) == 1": z3.SRem(a, b) == 1,
    "a < b": a < b,
    "a > -3": a > -3,
    "UGE(a, 200)": z3.UGE(a, 200),
    "a >> 2 == LShR(a, 2)": a >> 2 == z3.LShR(a, 2),
    "a << b == ~a": a << b == ~a,
    "a & b | 3 == a ^ 5": a & b | 3 == a ^ 5,
    "Concat(a, b) == ZeroExt(8, a)": z3.Concat(a, b) == z3.ZeroExt(8, a),
    "SignExt(8, a) == RepeatBitVec(2, b)": z3.SignExt(8, a) == z3.RepeatBitVec(2, b),
    "Extract(6, 2, a) == Extract(4, 0, b)": z3.Extract(6, 2, a) == z3.Extract(4, 0, b),
    "RotateLeft(a, 3) == RotateRight(b, 2)": z3.RotateLeft(a, 3) == z3.RotateRight(b, 2),
    "BV2Int(a) == BV2Int(b, True)": z3.BV2Int(a) == z3.BV2Int(b, is_signed=True),
    "Int2BV(i, 8) == a": z3.Int2BV(i, 8) == a,
    "i % 3 == 1": i % 3 == 1,
    "i + u > j": i + u > j,
    "u / v == 2": u / v == 2,
    "ToInt(u) == i": z3.ToInt(u) == i,
    "IsInt(u) == (ToReal(i) == u)": z3.IsInt(u) == (z3.ToReal(i) == u),
    "i ** 2 == Abs(j)": i * i == z3.Abs(j),
    "If(p, 1, u) == v": z3.If(p, 1, u) == v,
    "Xor(p, Implies(q, r))": z3.Xor(p, z3.Implies(q, r)),
    "AtMost(p, q, r, 1)": z3.AtMost(p, q, r, 1),
    "AtLeast(p, q, r, 2)": z3.AtLeast(p, q, r, 2),
    "Store(grid[0], 1, p) == K(Int, True)": z3.Store(grid[0], 1, p) == z3.K(z3.IntSort(), True),
    "Select(grid[i], j)": z3.Select(grid[i], j),
    "SubString(s, 1, 2) == 'ab'": z3.SubString(s, 1, 2) == "ab",
    "IndexOf(s, 'a') == Length(s)": z3.IndexOf(s, "a", 0) == z3.Length(s),
    "Replace(s, 'a', 'b') == s + 'c'": z3.Replace(s, "a", "b") == s + "c",
    "PrefixOf('a', s) and SuffixOf('b', s)": z3.And(z3.PrefixOf("a", s), z3.SuffixOf("b", s)),
    "StrToInt(s) == i": z3.StrToInt(s) == i,
    "ForAll([n: Int], n * n >= i)": z3.ForAll([j], j * j >= i),
}
DECLARED = "".join(
    f"(declare-const {name} {sort.sexpr()})"
    for name, sort in ((str(t), t.sort()) for t in (a, b, i, j, u, v, p, q, r, s, grid))
)


@pytest.mark.parametrize("text", SAME)
def test_it_means_what_z3_means(text: str) -> None:
    (goal,) = read_json(program(goal=text)).goals
    (ours,) = z3.parse_smt2_string(f"{DECLARED}(assert {show(goal.formula)})")
    solver = z3.Solver()
    solver.add(ours != SAME[text])
    assert solver.check() == z3.unsat
