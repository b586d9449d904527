"""The reader: positions, the lexicon of SMT-LIB, limits."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.reading.reader import MAX_BYTES, Atom, Group, Lexeme, Source, decode, read
from goedels_poetry.kernel.terms import distinct
from goedels_poetry.smt.notation.text import parse_problem


def atoms(text: str) -> list[tuple[Lexeme, str]]:
    return [(e.kind, e.text) for e in read(Source(text)) if isinstance(e, Atom)]


def error(text: str | bytes) -> InvalidText:
    with pytest.raises(InvalidText) as caught:
        read(Source(decode(text)))
    return caught.value


def test_every_kind_of_atom() -> None:
    assert atoms('x |a b| 12 1.50 #xfF #b01 "say ""hi""" :key -2 ; comment\n+') == [
        (Lexeme.SYMBOL, "x"),
        (Lexeme.SYMBOL, "a b"),
        (Lexeme.NUMERAL, "12"),
        (Lexeme.DECIMAL, "1.50"),
        (Lexeme.BITS, "#xfF"),
        (Lexeme.BITS, "#b01"),
        (Lexeme.STRING, 'say "hi"'),
        (Lexeme.KEYWORD, ":key"),
        (Lexeme.SYMBOL, "-2"),
        (Lexeme.SYMBOL, "+"),
    ]


def test_bars_may_hold_parentheses_semicolons_and_lines() -> None:
    (group,) = read(Source("(|a (\n; b|)"))
    assert isinstance(group, Group)
    assert isinstance(group.items[0], Atom)
    assert group.items[0].text == "a (\n; b"


def test_positions_count_from_one() -> None:
    source = Source("(a\n  (b))\r\n c")
    first, last = read(source)
    assert source.position(first.offset) == (1, 1)
    assert isinstance(first, Group)
    assert source.position(first.items[1].offset) == (2, 3)
    assert source.position(last.offset) == (3, 2)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("(a\n (b", 2, 2),
        ("(a)\n(b (c)\n(d)", 2, 1),
        ("a\n)", 2, 1),
        ('\n "abc', 2, 2),
        (" |abc\n", 1, 2),
        ("(a \x00)", 1, 4),
        ("x 007", 1, 3),
        ("1a", 1, 1),
        ("#xg", 1, 1),
        ("|a\\b|", 1, 3),
        ("a é", 1, 3),
        ("a'b", 1, 1),
        (b"ab\n c\xff", 2, 3),
    ],
)
def test_errors_say_where(text: str | bytes, line: int, column: int) -> None:
    found = error(text)
    assert (found.line, found.column) == (line, column)


@pytest.mark.parametrize("text", ["(" * 100_000, "(" * 100_000 + ")" * 100_000, ")" * 100_000])
def test_100_000_parentheses(text: str) -> None:
    error(text)


def test_100_000_nested_applications_in_a_goal() -> None:
    with pytest.raises(InvalidInput, match="nested"):
        parse_problem("(prove " + "(not " * 100_000 + "true" + ")" * 100_000 + ")")


@pytest.mark.parametrize("depth", [200, 249, 251, 900, 1_900])
def test_any_depth_of_terms_gives_an_answer(depth: int) -> None:
    text = "(prove " + "(not " * depth + "true" + ")" * depth + ")"
    if depth < 250:
        assert parse_problem(text).goal.size == depth + 1
    else:
        with pytest.raises(InvalidInput, match="nested more than 250 deep"):
            parse_problem(text)


@pytest.mark.sample(2)
@pytest.mark.parametrize("text", ["(", "a ", '"', "1", ";", " "])
def test_ten_megabytes_are_read_or_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_problem((text * MAX_BYTES)[: MAX_BYTES - 1])


def test_more_than_ten_megabytes_are_refused() -> None:
    assert "larger than" in error(" " * (MAX_BYTES + 1)).message


def test_what_let_names_once_is_read_once() -> None:
    lets = "".join(f"(let ((x{i} (+ x{i - 1} x{i - 1}))) " for i in range(1, 101))
    problem = parse_problem(f"(declare-const x0 Int)(prove {lets}(= x100 0){')' * 101}")
    assert problem.goal.size > 2**100 > 200 > distinct(problem.goal, 1_000)


def test_a_script_that_asks_for_100_gigabytes() -> None:
    for term in ("((_ zero_extend 100000000000) #b1)", "((_ repeat 999999999) #b1)", "(_ bv1 99999999999)"):
        with pytest.raises(InvalidInput):
            parse_problem(f"(prove (= {term} {term}))")


@given(st.binary(max_size=300))
@example(b"\xef\xbb\xbf(prove true)\x00")
def test_random_bytes_end_in_a_clear_answer(data: bytes) -> None:
    try:
        parse_problem(data)
    except InvalidInput as invalid:
        assert invalid.message


TEXT = """( ) ( ) ( ) forall exists let match ! as is _ par assert prove check-sat declare-fun declare-datatypes
declare-const define-fun-rec define-funs-rec Int Bool Real x y f nil cons = and + - 1 2.0 #b1 true |x y| :named
((x Int)) () ;"""
WORDS = TEXT.split()


@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_random_words_end_in_a_clear_answer(words: list[str]) -> None:
    try:
        parse_problem(" ".join(words))
    except InvalidInput as invalid:
        assert invalid.message


SEED_SCRIPT = """(declare-datatypes ((list 1)) ((par (a) ((nil) (cons (head a) (tail (list a)))))))
(define-fun-rec (par (a) (app ((x (list a)) (y (list a))) (list a)
  (match x ((nil y) ((cons h t) (cons h (app t y))))))))
(define-fun-rec len ((x (list Int))) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
(assert (! (forall ((x Int)) (exists ((y Int)) (> y x))) :named above))
(prove (forall ((x (list Int)) (y (list Int))) (= (len (app x y)) (let ((n (len y))) (+ (len x) n)))))
"""


@given(st.integers(min_value=0, max_value=2**32))
def test_mutated_scripts_end_in_a_clear_answer(seed: int) -> None:
    rng = random.Random(seed)
    parts = SEED_SCRIPT.replace("(", " ( ").replace(")", " ) ").split()
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(parts))
        parts[place : place + rng.randrange(2)] = [rng.choice(parts)] * rng.randrange(2)
    try:
        parse_problem(" ".join(parts))
    except InvalidInput as invalid:
        assert invalid.message
