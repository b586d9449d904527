"""Terms are read over one table of symbols for a signature: what one term brings along, the next must not know."""

import pytest

from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.reading.parser import parse_problem, parse_term
from goedels_poetry.kernel.reading.reader import Source
from goedels_poetry.kernel.reading.symbols import Symbols

THEOREM = """
(declare-datatypes ((Colour 0)) (((red) (blue (shade Int)))))
(declare-fun f (Int) Int)
(define-fun twice ((x Int)) Int (* 2 x))
(prove (= (f 0) (f 0)))
"""
OTHER = THEOREM.replace("(declare-fun f (Int) Int)", "(declare-fun f (Int) Colour)").replace("(red)", "(green)")


def signature(text: str = THEOREM) -> Signature:
    return parse_problem(text).signature


def tables(known: Symbols) -> tuple[object, ...]:
    return known.reserved, known.sorts, known.functions, known.constructors


@pytest.mark.parametrize(
    "text",
    [
        "(forall ((y Int) (y2 Colour)) (= (f y) (shade y2)))",
        "(= ((as const (Array Int Colour)) red) ((as const (Array Int Colour)) (blue 3)))",
        "(let ((red 1)) (+ red (twice red)))",
        "(exists ((f Int)) (= f 0))",
        "(match (blue 1) ((red 0) ((blue n) n)))",
    ],
)
def test_reading_a_term_leaves_the_table_as_it_was(text: str) -> None:
    known = signature()
    before = tables(Symbols.of(known, Source("")))
    read = [show(parse_term(text, known)) for _ in range(3)]
    assert read == [show(parse_term(text, signature()))] * 3, "the table was not the same for all of them"
    assert tables(Symbols.of(known, Source(""))) == before


def test_what_is_entered_in_one_table_is_in_no_other() -> None:
    known = signature()
    first, second = Symbols.of(known, Source("")), Symbols.of(known, Source(""))
    first.functions["g"] = first.functions["f"]
    first.sorts["T"] = first.sorts["Colour"]
    first.reserved.add("h")
    first.constructors.clear()
    first.written.add("w")
    first.given_up.add((True, "Colour"))
    assert tables(second) == tables(Symbols.of(signature(), Source("")))
    assert not second.written and not second.given_up


def test_signatures_that_take_turns_are_not_mixed_up() -> None:
    one, other = signature(), signature(OTHER)
    for _ in range(2):
        assert show(parse_term("(f 1)", one)) == "(f 1)"
        assert parse_term("(f 1)", one).sort != parse_term("(f 1)", other).sort
        with pytest.raises(InvalidText, match="green"):
            parse_term("green", one)
        with pytest.raises(InvalidText, match="red"):
            parse_term("red", other)
