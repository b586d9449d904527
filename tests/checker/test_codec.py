"""Proofs survive being written as JSON, and what is not of that form is an error, never a guess."""

import json
from typing import Any

import proofs
import pytest

from goedels_poetry.kernel.faults import CodecError
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
)
from goedels_poetry.kernel.reading.certificate import derivation_from_json, query_from_json, scheme_from_json
from goedels_poetry.kernel.schemas import (
    CaseSplit,
    Conjuncts,
    ConstructorSplit,
    Contradiction,
    Intro,
    SkolemHypothesis,
    Witness,
)
from goedels_poetry.smt.notation.text import derivation_to_json, parse_problem, parse_term, scheme_to_json

PROBLEM = parse_problem(proofs.GAUSS)
(N,) = proofs.goal_of(PROBLEM).vars


def term(text: str) -> Any:
    return parse_term(text, PROBLEM.signature, (N,))


SCHEMES = [
    StructuralInduction("n", ("m", "k"), 2),
    IntInduction("n", term("(- 3)"), (), upward=False, width=4),
    MeasureInduction(term("(- 10 n)"), ((term("(- n 1)"),), (term("(sum n)"),))),
    MeasureInduction(term("n")),
    RecursionInduction("sum", (term("n"),), ("m", "k")),
    SizeInduction(("n", "m"), ((term("(> n 0)"), term("(- n 1)"), term("n")),), ("k",), (("c", 1),)),
    CaseSplit(term("(> n 0)")),
    ConstructorSplit("n"),
    Conjuncts(),
    Contradiction(),
    Witness((term("7"), term("(* n n)"))),
    Intro(),
    SkolemHypothesis(),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
def test_a_scheme_survives(scheme: Any) -> None:
    written = json.loads(json.dumps(scheme_to_json(scheme)))
    assert scheme_from_json(written, PROBLEM.signature, (N,)) == scheme


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
def test_a_scheme_with_a_key_too_many_or_too_few_is_an_error(scheme: Any) -> None:
    written = scheme_to_json(scheme)
    with pytest.raises(CodecError):
        scheme_from_json({**written, "extra": 1}, PROBLEM.signature, (N,))
    for key in written:
        with pytest.raises(CodecError):
            scheme_from_json({k: v for k, v in written.items() if k != key}, PROBLEM.signature, (N,))
        for wrong in (None, 1.5, {}, [[[]]], -1):
            if type(wrong) is not type(written[key]):
                with pytest.raises(CodecError):
                    scheme_from_json({**written, key: wrong}, PROBLEM.signature, (N,))


@pytest.mark.parametrize("name", proofs.ALL)
def test_a_whole_proof_survives(name: str) -> None:
    text, proof = proofs.ALL[name]
    written = json.loads(json.dumps(derivation_to_json(proof())))
    assert derivation_from_json(written, parse_problem(text).signature) == proof()


@pytest.mark.parametrize(
    "json",
    [
        None,
        [],
        "query",
        {},
        {"cites": [], "instances": [], "equations": True},
        {"cites": "1", "instances": [], "equations": True, "quantified": True},
        {"cites": [1], "instances": [], "equations": True, "quantified": True},
        {"cites": [], "instances": [], "equations": "true", "quantified": True},
        {"cites": [], "instances": [{}], "equations": True, "quantified": True},
        {"cites": [], "instances": [{"of": "oracle", "name": "x", "args": []}], "equations": True, "quantified": True},
        {
            "cites": [],
            "instances": [{"of": "def", "name": "sum", "args": ["(sum"]}],
            "equations": True,
            "quantified": True,
        },
        {
            "cites": [],
            "instances": [{"of": "def", "name": "sum", "args": ["stranger"]}],
            "equations": True,
            "quantified": True,
        },
    ],
)
def test_a_malformed_query_is_an_error(json: Any) -> None:
    with pytest.raises(CodecError):
        query_from_json(json, PROBLEM.signature, (N,))
