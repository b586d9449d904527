"""Dafny: datatypes, functions, and a lemma with an empty body, which Dafny proves by an induction of its own choice."""

from __future__ import annotations

import re
import subprocess
from itertools import pairwise
from pathlib import Path

from goedels_poetry.kernel.problem import Definition, Problem
from goedels_poetry.kernel.terms import BOOL, INT, REAL, BitVector, Kind, Sort, Term
from peers.common import LARGE, Peer, Untranslatable, all_names, legal_names, opened, pairs

INFIX = {
    "and": "&&",
    "or": "||",
    "+": "+",
    "*": "*",
    "bvadd": "+",
    "bvmul": "*",
    "bvand": "&",
    "bvor": "|",
    "bvxor": "^",
}
CHAINS = {"=": "==", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
ORDERS = {"bvult": "<", "bvule": "<=", "bvugt": ">", "bvuge": ">="}
DIVISIONS = {"div": "/", "mod": "%", "/": "/"}
BASIC = {BOOL: "bool", INT: "int", REAL: "real"}


class _Writer:
    def __init__(self, problem: Problem) -> None:
        self.signature = problem.signature
        self.names = all_names(problem)

    def sort(self, sort: Sort) -> str:
        if sort in BASIC:
            return BASIC[sort]
        if sort.name == "BitVec":
            return f"bv{sort.indices[0]}"
        name = self.names.get(f"sort {sort.name}")
        if name is None or sort.args:
            raise Untranslatable(f"the sort {sort.name}")
        return name

    def params(self, variables: tuple[Term, ...] | list[Term], names: dict[str, str]) -> str:
        return ", ".join(f"{names[v.name]}: {self.sort(v.sort)}" for v in variables)

    def term(self, term: Term, names: dict[str, str]) -> str:
        match term.kind:
            case Kind.VAR:
                return names[term.name]
            case Kind.LIT:
                return _literal(term)
            case Kind.FORALL | Kind.EXISTS:
                inner = names | legal_names((f"{v.name} {len(names)}" for v in term.binders), "b_")
                inner |= {v.name: inner[f"{v.name} {len(names)}"] for v in term.binders}
                word = "forall" if term.kind is Kind.FORALL else "exists"
                return f"({word} {self.params(term.binders, inner)} :: {self.term(term.body, inner)})"
            case Kind.APP:
                return self.application(term, names)

    def application(self, term: Term, names: dict[str, str]) -> str:
        name, args = term.name, [self.term(a, names) for a in term.args]
        signature = self.signature
        if name == "is":
            return f"{args[0]}.{self.names[str(term.indices[0])]}?"
        if signature.selector(name) is not None:
            return f"{args[0]}.{self.names[name]}"
        if signature.constructor(name) is not None or signature.type_of(name) is not None:
            plain = signature.constructor(name) is not None and not args
            return self.names[name] if plain else f"{self.names[name]}({', '.join(args)})"
        if name in CHAINS:
            return _all([f"({a} {CHAINS[name]} {b})" for a, b in pairwise(args)])
        if name == "distinct":
            return _all([f"({self.term(a, names)} != {self.term(b, names)})" for a, b in pairs(term.args)])
        if name in INFIX:
            return "(" + f" {INFIX[name]} ".join(args) + ")"
        if name in ORDERS:
            return f"({args[0]} {ORDERS[name]} {args[1]})"
        if name in DIVISIONS and all(a.kind is Kind.LIT and a.value for a in term.args[1:]):
            return "(" + f" {DIVISIONS[name]} ".join(args) + ")"
        match name, args:
            case "not", [arg]:
                return f"!({arg})"
            case "=>", [*hypotheses, conclusion]:
                return f"(({' && '.join(hypotheses)}) ==> {conclusion})"
            case "xor", [left, right]:
                return f"({left} != {right})"
            case "ite", [condition, then, otherwise]:
                return f"(if {condition} then {then} else {otherwise})"
            case "-" | "bvneg", [arg]:
                return f"(-{arg})" if name == "-" else f"(0 - {arg})"
            case "-", _:
                return "(" + " - ".join(args) + ")"
            case "bvsub", [left, right]:
                return f"({left} - {right})"
            case "abs", [arg]:
                return f"(if {arg} < 0 then -{arg} else {arg})"
        raise Untranslatable(name)

    def function(self, definition: Definition) -> str:
        if definition.body.size > LARGE:
            raise Untranslatable("a large definition")
        names = legal_names((p.name for p in definition.params), "v_")
        head = f"function {self.names[definition.name]}({self.params(definition.params, names)})"
        return f"{head}: {self.sort(definition.sort)} {{\n  {self.term(definition.body, names)}\n}}"


def _all(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"


def _literal(term: Term) -> str:
    match term.value:
        case bool():
            return "true" if term.value else "false"
        case int() if term.value >= 0:
            return str(term.value)
        case int():
            return f"(-{-term.value})"
        case BitVector():
            return f"({term.value.value} as bv{term.value.width})"
    raise Untranslatable("a literal")


def translate(problem: Problem) -> str:
    """Dafny's text; the goal is the lemma ``goal``, premises are axioms that it calls. Raises Untranslatable."""
    writer, signature = _Writer(problem), problem.signature
    lines = [f"type {writer.sort(sort)}(==)" for sort in signature.sorts]
    for datatype in signature.datatypes:
        cases = [
            writer.names[c.name]
            + (f"({', '.join(f'{writer.names[n]}: {writer.sort(s)}' for n, s in c.fields)})" if c.fields else "")
            for c in datatype.constructors
        ]
        lines.append(f"datatype {writer.sort(datatype.sort)} = {' | '.join(cases)}")
    for name, (arguments, result) in signature.functions.items():
        if signature.definition(name) is None:
            given = ", ".join(f"v{i}: {writer.sort(s)}" for i, s in enumerate(arguments))
            lines.append(f"function {writer.names[name]}({given}): {writer.sort(result)}")
    lines += map(writer.function, signature.definitions)
    premises = []
    for number, premise in enumerate(problem.premises):
        lines.append(f"lemma {{:axiom}} premise{number}()\n  ensures {writer.term(premise.formula, {})}")
        premises.append(f"premise{number}();")
    variables, hypotheses, conclusion = opened(problem.goal)
    names = legal_names((v.name for v in variables), "v_")
    lines.append(f"lemma goal({writer.params(variables, names)})")
    lines += [f"  requires {writer.term(h, names)}" for h in hypotheses]
    lines.append(f"  ensures {writer.term(conclusion, names)}\n{{ {' '.join(premises)} }}")
    return "\n".join(lines) + "\n"


def command(path: Path, seconds: float) -> list[str]:
    """No compilation, one process, all of the time for each lemma."""
    return ["dafny", "/compile:0", "/nologo", "/vcsCores:1", f"/timeLimit:{max(1, round(seconds))}", str(path)]


def read(code: int, said: str) -> str:
    """Its last line; a text that it cannot read is a defect of ours."""
    if re.search(r"(parse|resolution/type|type) errors? detected", said):
        return "error"
    return "proved" if code == 0 and re.search(r"finished with [1-9]\d* verified, 0 errors\s*$", said) else "unknown"


def version() -> str:
    """As it names itself."""
    said = subprocess.run(["dafny", "none.dfy"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"Dafny [\d.]+", said)
    return found[0] if found else "Dafny"


DAFNY = Peer("dafny", "dafny", ".dfy", command, translate, read, version)
