"""ACL2: recognizers for the datatypes, functions that answer with a value of their sort to whatever they are given.

So the typed definitions of a problem are admitted without guards, as ACL2s (``defunc``) does it: outside their sorts
they return one fixed value, and a type theorem is proved of each before the goal. A constructor is a list that begins
with its name. A definition that is not admitted by itself is tried again with the sum of the sizes of its arguments as
its measure. Premises are axioms, and with that rewrite rules. Where whole numbers occur, the book ``arithmetic-5/top``
is loaded.
"""

from __future__ import annotations

import re
import subprocess
from itertools import groupby, pairwise
from pathlib import Path

from goedels_poetry.kernel.problem import Constructor, Datatype, Definition, Problem
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Sort, Term, subterms
from peers.common import LARGE, Peer, Untranslatable, all_names, legal_names, opened, pairs

SAME = {"and": "and", "or": "or", "not": "not", "ite": "if", "+": "+", "*": "*", "-": "-", "abs": "abs", "mod": "mod"}
CHAINS = {"=": "equal", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
SELECTORS = ("cadr", "caddr", "cadddr")
PRELUDE = """(set-ignore-ok t)
(set-irrelevant-formals-ok t)
(set-bogus-mutual-recursion-ok t)
(set-inhibit-output-lst '(proof-tree event observation warning prove summary))"""
ARITHMETIC = '(include-book "arithmetic-5/top" :dir :system)'
VERDICT = """(cw "~%VERDICT ~x0~%" (if (formula 'goal nil (w state)) 'proved 'open))
(good-bye)"""


class _Writer:
    def __init__(self, problem: Problem) -> None:
        self.signature = problem.signature
        self.names = all_names(problem)

    # -- sorts ------------------------------------------------------------------------------------------------
    def recognizer(self, sort: Sort) -> str:
        """The name of what recognizes its values; "" for a declared sort, which anything may be of."""
        if sort in (BOOL, INT):
            return "booleanp" if sort is BOOL else "integerp"
        if sort in self.signature.sorts:
            return ""
        if self.signature.datatype(sort) is None:
            raise Untranslatable(f"the sort {sort.name}")
        return self.names[f"sort {sort.name}"]

    def are_of(self, values: list[tuple[str, Sort]]) -> list[str]:
        return [f"({self.recognizer(sort)} {value})" for value, sort in values if self.recognizer(sort)]

    def witness(self, sort: Sort, above: tuple[Sort, ...] = ()) -> str:
        """Some value of it, without a value of the sorts ``above`` in it."""
        datatype = self.signature.datatype(sort)
        if datatype is None:
            return "0" if sort is INT else "nil"
        for constructor in datatype.constructors:
            sorts = [s for _, s in constructor.fields]
            if not {sort, *above} & set(sorts):
                try:
                    return self.made(constructor, [self.witness(s, (*above, sort)) for s in sorts])
                except Untranslatable:
                    continue
        raise Untranslatable(f"a value of {sort.name}")

    def made(self, constructor: Constructor, args: list[str]) -> str:
        name = self.names[constructor.name]
        return f"(list '{' '.join([name, *args])})" if args else f"'{name}"

    def case(self, constructor: Constructor, value: str) -> str:
        name = self.names[constructor.name]
        if not constructor.fields:
            return f"(equal {value} '{name})"
        return f"(and (consp {value}) (equal (car {value}) '{name}))"

    def datatype(self, datatype: Datatype) -> str:
        """The definition of its recognizer."""
        cases = []
        for constructor in datatype.constructors:
            parts = [self.case(constructor, "x")]
            place = "(cdr x)"
            for _, sort in constructor.fields:
                parts += [f"(consp {place})", *self.are_of([(f"(car {place})", sort)])]
                place = f"(cdr {place})"
            cases.append(f"(and {' '.join(parts)}{f' (equal {place} nil)' if constructor.fields else ''})")
        return f"(defun {self.recognizer(datatype.sort)} (x)\n  (or {' '.join(cases)}))"

    # -- terms ------------------------------------------------------------------------------------------------
    def term(self, term: Term, names: dict[str, str]) -> str:
        match term.kind:
            case Kind.VAR:
                return names[term.name]
            case Kind.LIT if isinstance(term.value, bool):
                return "t" if term.value else "nil"
            case Kind.LIT if isinstance(term.value, int):
                return str(term.value)
            case Kind.APP:
                return self.application(term, names)
        raise Untranslatable("a quantifier inside" if term.binders else "a literal")

    def application(self, term: Term, names: dict[str, str]) -> str:
        name, args = term.name, [self.term(a, names) for a in term.args]
        signature = self.signature
        if name == "is" and (built := signature.constructor(str(term.indices[0]))) is not None:
            return self.case(built[1], args[0])
        if (selected := signature.selector(name)) is not None:
            return f"({SELECTORS[selected[2]]} {args[0]})" if selected[2] < 3 else f"(nth {selected[2] + 1} {args[0]})"
        if (built := signature.constructor(name)) is not None:
            return self.made(built[1], args)
        if signature.type_of(name) is not None:
            return f"({' '.join([self.names[name], *args])})"
        if name in CHAINS:
            each = [f"({CHAINS[name]} {a} {b})" for a, b in pairwise(args)]
            return each[0] if len(each) == 1 else f"(and {' '.join(each)})"
        if name == "distinct":
            each = [f"(not (equal {self.term(a, names)} {self.term(b, names)}))" for a, b in pairs(term.args)]
            return each[0] if len(each) == 1 else f"(and {' '.join(each)})"
        if name == "=>":
            return f"(implies (and {' '.join(args[:-1])}) {args[-1]})"
        if name == "xor" and len(args) == 2:
            return f"(not (equal {args[0]} {args[1]}))"
        divisor = term.args[1].value if name in ("div", "mod") and len(args) == 2 else None
        if name == "div" and isinstance(divisor, int) and divisor > 0:
            return f"(floor {args[0]} {args[1]})"
        if name in SAME and (name != "mod" or (isinstance(divisor, int) and divisor > 0)):
            head, *rest = args
            minus = name == "-" and len(rest) > 1
            return f"(- {head} (+ {' '.join(rest)}))" if minus else f"({' '.join([SAME[name], *args])})"
        raise Untranslatable(name)

    def closed(self, formula: Term) -> str:
        """A formula without free variables: from the sorts of its variables and its hypotheses to its conclusion."""
        variables, hypotheses, conclusion = opened(formula)
        names = legal_names((v.name for v in variables), "v_")
        given = self.are_of([(names[v.name], v.sort) for v in variables])
        given += [self.term(h, names) for h in hypotheses]
        return f"\n  (implies (and {' '.join(given)})\n    {self.term(conclusion, names)})"

    # -- functions --------------------------------------------------------------------------------------------
    def group(self, definitions: list[Definition]) -> list[str]:
        """Events that define them, the first way that is admitted, and the type theorem of one that stands alone."""
        if len(definitions) > 1:
            together = "\n".join(self.function(d, "") for d in definitions)
            summed = "\n".join(self.function(d, self.sizes(d)) for d in definitions)
            return [f"(mutual-recursion\n{together})", f"(mutual-recursion\n{summed})"]
        (definition,) = definitions
        ways = [self.function(definition, "")]
        if definition.recursive and len(definition.params) > 1:
            ways.append(self.function(definition, self.sizes(definition)))
        names = legal_names((p.name for p in definition.params), "v_")
        call = f"({' '.join([self.names[definition.name], *names.values()])})"
        types = self.are_of([(call, definition.sort)])
        return [*ways, *(f"(defthm {self.names[definition.name]}-type {of})" for of in types)]

    def sizes(self, definition: Definition) -> str:
        names = legal_names((p.name for p in definition.params), "v_")
        return f"(+ {' '.join(f'(acl2-count {names[p.name]})' for p in definition.params)})"

    def function(self, definition: Definition, measure: str) -> str:
        if definition.body.size > LARGE:
            raise Untranslatable("a large definition")
        names = legal_names((p.name for p in definition.params), "v_")
        body = self.term(definition.body, names)
        fits = self.are_of([(names[p.name], p.sort) for p in definition.params])
        if fits:
            body = f"(if (and {' '.join(fits)})\n      {body}\n    {self.witness(definition.sort)})"
        declared = f"\n  (declare (xargs :measure {measure}))" if measure else ""
        return f"(defun {self.names[definition.name]} ({' '.join(names.values())}){declared}\n  {body})"

    def declared(self, name: str, arguments: tuple[Sort, ...], result: Sort) -> str:
        """A function of which only the sort of its values is known."""
        own, variables = self.names[name], [f"v{i}" for i in range(len(arguments))]
        call = f"({' '.join([own, *variables])})"
        known = "".join(f"\n  (defthm {own}-type {of})" for of in self.are_of([(call, result)]))
        local = f"(local (defun {own} ({' '.join(variables)}) {self.witness(result)}))"
        return f"(encapsulate ((({' '.join([own, *('*' for _ in variables)])}) => *))\n  {local}{known})"


def translate(problem: Problem) -> str:
    """ACL2's events; the goal is the theorem ``goal``, and the last line tells of it. Raises Untranslatable."""
    writer, signature = _Writer(problem), problem.signature
    terms = [d.body for d in signature.definitions] + [problem.goal]
    numbers = any(part.sort is INT for term in terms for part in subterms(term))
    events = [PRELUDE, *([ARITHMETIC] if numbers else [])]
    for _, block in groupby(signature.datatypes, key=lambda d: d.group):
        together = [writer.datatype(d) for d in block]
        events.append(together[0] if len(together) == 1 else "(mutual-recursion\n" + "\n".join(together) + ")")
    for name, (arguments, result) in signature.functions.items():
        if signature.definition(name) is None:
            events.append(writer.declared(name, arguments, result))
    for _, members in groupby(signature.definitions, key=lambda d: d.group):
        events += writer.group(list(members))
    for number, premise in enumerate(problem.premises):
        events.append(f"(defaxiom premise{number}{writer.closed(premise.formula)})")
    events.append(f"(defthm goal{writer.closed(problem.goal)})")
    return "\n".join([*events, VERDICT, ""])


def command(path: Path, seconds: float) -> list[str]:
    """It reads its events from the standard input."""
    return ["acl2"]


def read(code: int, said: str) -> str:
    """The line that asks for the theorem.

    Raises:
        SystemExit: its books are not installed: without them it would be worse than its users know it.
    """
    if re.search(r'arithmetic-5/top\.lisp"\s+does\s+not\s+exist', said):
        raise SystemExit("acl2 has no books, and would be worse than its users know it: install acl2-books-certs")
    found = re.search(r"VERDICT (PROVED|OPEN)", said)
    if code >= 0 and found is None:
        return "error"  # it has not read all of the text
    return "proved" if found and found[1] == "PROVED" else "unknown"


def version() -> str:
    """As it names itself."""
    said = subprocess.run(["acl2"], input="(good-bye)", capture_output=True, text=True, check=False).stdout
    found = re.search(r"ACL2 Version [\d.]+", said)
    return found[0] if found else "ACL2"


ACL2 = Peer("acl2", "acl2", ".lisp", command, translate, read, version)
