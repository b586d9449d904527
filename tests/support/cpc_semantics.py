"""What steps of CPC proofs mean, asked of a solver, and ways to spoil a proof."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from goedels_poetry.checker.cpc.check import State
from goedels_poetry.checker.cpc.reader import Group, ObligationText, SExpr, expressions, read_obligation
from goedels_poetry.checker.cpc.terms import INDEXED, INT, RESERVED, Op, Rejected, Sort, Term, Terms, substitute
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

INNER = """\
(define-fun |@int_div_by_zero| ((a Int)) Int (div a 0))
(define-fun |@mod_by_zero| ((a Int)) Int (mod a 0))
(define-fun |@div_by_zero| ((a Real)) Real (/ a 0.0))
(define-fun div_total ((a Int) (b Int)) Int (ite (= b 0) 0 (div a b)))
(define-fun mod_total ((a Int) (b Int)) Int (ite (= b 0) a (mod a b)))
(define-fun /_total ((a Real) (b Real)) Real (ite (= b 0.0) 0.0 (/ a b)))
(define-fun int.pow2 ((a Int)) Int (ite (< a 0) 0 {pow2}))
(define-fun int.log2 ((a Int)) Int {log2})
(define-fun int.ispow2 ((a Int)) Bool (= a (int.pow2 (int.log2 a))))
(declare-fun |@strings_deq_diff| (String String) Int)
""".format(
    pow2="".join(f"(ite (= a {k}) {2**k} " for k in range(20)) + "0" + ")" * 20,
    log2="".join(f"(ite (< a {2**k}) {k - 1} " for k in range(1, 20)) + "20" + ")" * 19,
)
"""cvc5's own functions, which are total versions of those of SMT-LIB, or have a meaning for small numbers here."""
NARY = frozenset("bvadd bvmul bvand bvor bvxor concat str.++ re.++ re.union re.inter + * and or".split())  # noqa: SIM905
LIMITS = Limits(seconds=2.0)


class Meaning:
    """Asks z3, and cvc5 where z3 does not know, whether a conclusion follows from premises at all values."""

    def __init__(self, solver: Z3Process, terms: Terms, second: Cvc5Process | None = None) -> None:
        self.solver, self.terms, self.second = solver, terms, second
        self.known: dict[tuple[tuple[Term, ...], Term], str] = {}

    def follows(self, premises: Sequence[Term], conclusion: Term) -> str:
        """ "unsat" if it does, "sat" if not, else "unknown"."""
        key = (tuple(premises), conclusion)
        if key not in self.known:
            script = self.script([*premises, self.terms.app("not", conclusion)])
            self.known[key] = self.solver.ask(script, LIMITS).status
            if self.known[key] not in ("sat", "unsat") and self.second:
                self.known[key] = self.second.ask(script.replace("bv2nat", "ubv_to_int"), LIMITS).status
        return self.known[key]

    def script(self, formulas: Iterable[Term]) -> str:
        """These formulas as assertions, with what their witnesses are."""
        formulas = list(formulas)
        parts = _parts(formulas)
        skolems = ("@array_deq_diff", "@strings_deq_diff", "@re_unfold_pos_component")
        laws = [self._law(t) for t in parts if t.op[0] == "witness" or t.op in skolems]
        parts = _parts([*formulas, *laws])
        lines = ["(set-logic ALL)", *self._declarations(), INNER]
        atoms = dict.fromkeys(
            t for t in parts if t.op[0] in ("variable", "witness") or t.op == "@re_unfold_pos_component"
        )
        lines += [f"(declare-const {_atom(t)} {_sort(t.sort)})" for t in atoms]
        sorts = dict.fromkeys(t.sort for t in parts if t.op == "@purify")
        lines += [f"(define-fun {_purify(s)} ((x {_sort(s)})) {_sort(s)} x)" for s in sorts]
        arrays = dict.fromkeys((t.args[0].sort, t.sort) for t in parts if t.op == "@array_deq_diff")
        lines += [f"(declare-fun {_diff(a)} ({_sort(a)} {_sort(a)}) {_sort(s)})" for a, s in arrays]
        lines += [f"(assert {text_of(t)})" for t in [*formulas, *laws]]
        return "\n".join(lines)

    def _law(self, term: Term) -> Term:
        app = self.terms.app
        if term.op == "@array_deq_diff":
            a, b = term.args
            same = app("=", app("select", a, term), app("select", b, term))
            return app("=>", same, app("=", a, b))
        if term.op == "@strings_deq_diff":
            one = self.terms.number(1, INT)
            parts = [app("str.substr", side, term, one) for side in term.args]
            inside = app(
                "and", app("<=", self.terms.number(0, INT), term), app("<", term, app("str.len", term.args[0]))
            )
            differ = app("and", app("not", app("=", *parts)), inside)
            same_length = app("=", *[app("str.len", side) for side in term.args])
            return app("or", app("=", *term.args), app("not", same_length), differ)
        if term.op == "@re_unfold_pos_component":
            word, whole, _ = term.args
            numbered = [(self.terms.number(i, INT), part) for i, part in enumerate(whole.args)]
            found = [p.args[0] if p.op == "str.to_re" else app(term.op, word, whole, i) for i, p in numbered]
            members = [app("str.in_re", own, p) for own, p in zip(found, whole.args, strict=True)]
            return app("=>", app("str.in_re", word, whole), app("and", app("=", word, app("str.++", *found)), *members))
        formula = term.op[1]
        assert isinstance(formula, Term)
        values = {v: self.terms.witness(formula, i) for i, v in enumerate(formula.binders)}
        return app("=>", substitute(self.terms, formula.body, values), formula)

    def _declarations(self) -> list[str]:
        signature = self.terms.signature
        built = {name for constructors in signature.datatypes.values() for name in constructors}
        selectors = {s for cs in signature.datatypes.values() for fields in cs.values() for s in fields}
        lines = [f"(declare-sort {_sort(s)} 0)" for s in signature.sorts if s not in signature.datatypes]
        heads = " ".join(f"({_sort(s)} 0)" for s in signature.datatypes)
        bodies = []
        for constructors in signature.datatypes.values():
            made = []
            for name, fields in constructors.items():
                pairs = zip(fields, signature.functions[name][0], strict=True)
                made.append(f"(|{name}| {' '.join(f'(|{f}| {_sort(s)})' for f, s in pairs)})")
            bodies.append(f"({' '.join(made)})")
        lines += [f"(declare-datatypes ({heads}) ({' '.join(bodies)}))"] if heads else []
        for name, (domains, sort) in signature.functions.items():
            if name not in built | selectors:
                lines.append(f"(declare-fun |{name}| ({' '.join(map(_sort, domains))}) {_sort(sort)})")
        return lines


def _parts(formulas: Iterable[Term]) -> list[Term]:
    """All terms in them, those of quantifiers' variables and of witnesses' formulas included."""
    found: dict[Term, None] = {}
    stack = list(formulas)
    while stack:
        term = stack.pop()
        if term not in found:
            found[term] = None
            stack += term.args
            if term.op[0] == "witness":
                formula = term.op[1]
                assert isinstance(formula, Term)
                stack += [formula]
    return list(found)


def _sort(sort: Sort) -> str:
    if isinstance(sort, str):
        return sort if sort in ("Bool", "Int", "Real", "String", "RegLan") else f"|{sort}|"
    if sort[0] == "_":
        return f"(_ BitVec {sort[2]})"
    return f"({sort[0]} {_sort(sort[1])} {_sort(sort[2])})"


def _atom(term: Term) -> str:
    return f"|{term.op[0] if isinstance(term.op, tuple) else term.op} {term.number}|"


def _purify(sort: Sort) -> str:
    return f"|@purify {_sort(sort).replace('|', '')}|"


def _diff(sort: Sort) -> str:
    return f"|@diff {_sort(sort).replace('|', '')}|"


def text_of(term: Term) -> str:
    value, op = term.value, term.op
    if value is not None:
        number = f"(/ {abs(value.numerator)}.0 {value.denominator}.0)" if term.sort == "Real" else str(abs(value))
        return f"(- {number})" if value < 0 else number
    if (isinstance(op, tuple) and op[0] in ("variable", "witness")) or op == "@re_unfold_pos_component":
        return _atom(term)
    if op[0] == "bits":
        return f"#b{op[1]:0{term.width}b}"
    if op[0] == "string":
        return '"' + "".join(f"\\u{{{ord(c):x}}}" if c in '\\"' or not " " <= c <= "~" else c for c in op[1]) + '"'
    if op == "@bvsize":
        return str(term.args[0].width)
    if op[0] == "@bit":
        return f"(= ((_ extract {op[1]} {op[1]}) {text_of(term.args[0])}) #b1)"
    if op == "@from_bools":
        bits = [f"(ite {text_of(a)} #b1 #b0)" for a in reversed(term.args)]
        return f"(concat {' '.join(bits)})" if len(bits) > 1 else bits[0]
    if op in NARY and len(term.args) == 1:
        return text_of(term.args[0])
    if term.binders:
        bound = " ".join(f"({_atom(v)} {_sort(v.sort)})" for v in term.binders)
        return f"({op} ({bound}) {text_of(term.body)})"
    args = " ".join(map(text_of, term.args))
    return f"({_head(op, term)} {args})" if args else _head(op, term)


def _head(op: Op, term: Term) -> str:
    if isinstance(op, tuple) and op[0] in INDEXED:
        return f"(_ {'int2bv' if op[0] == 'int_to_bv' else op[0]} {' '.join(map(str, op[1:]))})"
    if isinstance(op, tuple):
        return f"(_ is |{op[1]}|)" if op[0] == "is" else f"(as const {_sort(term.sort)})"
    if op == "ubv_to_int":
        return "bv2nat"
    if op == "@purify":
        return _purify(term.sort)
    if op == "@array_deq_diff":
        return _diff(term.args[0].sort)
    if op in ("true", "false", "div", "mod") or op.endswith("_total") or not op[0].isalpha():
        return f"|{op}|" if op[0] in "@?" else op
    return op if op in RESERVED else f"|{op}|"


# ------------------------------------------------------------------------------------------- proofs, and mutations


def cvc5_proof(solver: Cvc5Process, script: str) -> str:
    """cvc5's proof that a script is contradictory; "" when it finds none."""
    options = {"produce-proofs": "true", "proof-format-mode": "cpc", "proof-granularity": "dsl-rewrite"}
    return solver.ask(script, LIMITS, "proof", options).output


def commands_of(proof: str) -> list[Group]:
    """The commands of a proof."""
    found = list(expressions(proof))
    inner = found[0] if len(found) == 1 else Group(found)
    assert isinstance(inner, Group)
    return [c for c in inner if isinstance(c, Group)]


def written(found: SExpr) -> str:
    """An S-expression as text; names without bars, as the proofs of the tests have no others."""
    return f"({' '.join(map(written, found))})" if isinstance(found, Group) else found


Steps = list[tuple[list[Term], Term]]
"""Premises and conclusion of each; of the end of a scope the premise is what was proved under its assumption."""


def accepted_steps(script: str, proof: Sequence[Group]) -> tuple[Steps, State, str]:
    """The steps that the checker accepts, up to the first that it rejects; then why."""
    state, steps = State(read_obligation(expressions(script))), Steps()
    for command in proof:
        reason = executed(state, command, steps)
        if reason:
            return steps, state, reason
    return steps, state, ""


def executed(state: State, command: Group, steps: Steps) -> str:
    """Execute a command, and add it if it is a step; why it was rejected, "" if it was not."""
    before, assumed = dict(state.proved), [a for a, _ in state.open]
    try:
        state.execute(command)
    except (Rejected, ValueError, IndexError, KeyError, TypeError) as error:
        return str(error) or type(error).__name__
    if command[0] in ("step", "step-pop"):
        names = command[command.index(":premises") + 1] if ":premises" in command else Group()
        assert state.last is not None
        premises = [before[str(n)] for n in names]
        if command[0] == "step-pop":
            premises = [state.terms.app("=>", assumed[-1], premises[0])]
        steps.append((premises, state.last))
    return ""


def attacked(
    random_: random.Random, obligation: ObligationText, proof: Sequence[Group], others: Sequence[str], tries: int
) -> Steps:
    """The steps that are accepted in the place of those of an honest proof, which goes on as it was."""
    state, steps = State(obligation), Steps()
    for command in proof:
        kept = dict(state.names), dict(state.proved), list(state.open), state.last, state.steps
        for _ in range(tries if command[0] in ("step", "step-pop") else 0):
            executed(state, _spoiled(random_, command, others), steps)
            state.names, state.proved, state.open, state.last, state.steps = dict(kept[0]), *_copied(*kept[1:])
        reason = executed(state, command, honest := Steps())
        assert not reason, reason
        steps = [s for s in steps if s not in honest]
    return steps


def _copied(
    proved: dict[str, Term], open_: list[tuple[Term, Mapping[str, Term]]], last: Term | None, steps: int
) -> tuple[dict[str, Term], list[tuple[Term, Mapping[str, Term]]], Term | None, int]:
    return dict(proved), list(open_), last, steps


def closes(state: State, reason: str) -> bool:
    """Whether the checker takes the whole for a proof."""
    return not reason and not state.open and state.last is state.terms.false


def mutated(random_: random.Random, proof: Sequence[Group], others: Sequence[str]) -> list[Group]:
    """A proof with one to three things changed; ``others``: names of rules and symbols to put in.

    Its declarations stay: the checker reads those of the obligation instead.
    """
    changed = list(proof)
    for _ in range(random_.choice((1, 1, 1, 2, 3))):
        i = random_.choice([k for k, command in enumerate(changed) if not str(command[0]).startswith("declare")])
        way = random_.random()
        if way < 0.06:
            del changed[i]
        elif way < 0.12:
            j = random_.choice([k for k, command in enumerate(changed) if command[0] == changed[i][0]])
            changed[i], changed[j] = changed[j], changed[i]
        elif way < 0.16:
            changed.insert(i, changed[i])
        else:
            changed[i] = _spoiled(random_, changed[i], others)
        if len(changed) < 2:
            return list(proof)
    return changed


def _spoiled(random_: random.Random, found: Group, others: Sequence[str]) -> Group:
    """The same with one atom, or the order of some parts, changed."""
    items = list(found)
    inner = [i for i, part in enumerate(items) if isinstance(part, Group) and part]
    if inner and random_.random() < 0.75:
        i = random_.choice(inner)
        part = items[i]
        assert isinstance(part, Group)
        items[i] = _spoiled(random_, part, others)
    elif len(items) > 2 and random_.random() < 0.3:
        i, j = random_.sample(range(1, len(items)), 2)
        items[i], items[j] = items[j], items[i]
    elif len(items) > 2 and random_.random() < 0.15:
        items.pop(random_.randrange(1, len(items)))
    else:
        atoms = [i for i, part in enumerate(items) if isinstance(part, str)]
        if atoms:
            i = random_.choice(atoms)
            items[i] = _other(random_, str(items[i]), others)
    result = Group(items)
    result.line = found.line
    return result


_SWAPS = [
    ("true", "false"), ("<", "<="), (">", ">="), ("<", ">"), ("<=", ">="), ("and", "or"), ("+", "-"), ("div", "mod"),
    ("div_total", "mod_total"), ("=", "distinct"), ("=>", "="), ("forall", "exists"), ("div_total", "div"), ("+", "*"),
    ("Int", "Real"), ("bvand", "bvor"), ("bvadd", "bvand"), ("bvult", "bvule"), ("bvult", "bvslt"), ("bvshl", "bvlshr"),
    ("bvlshr", "bvashr"), ("concat", "bvadd"), ("zero_extend", "sign_extend"), ("bvudiv", "bvurem"), ("bvneg", "bvnot"),
    ("str.prefixof", "str.suffixof"), ("str.contains", "str.prefixof"), ("str.len", "str.to_code"), ("re.*", "re.+"),
    ("str.at", "str.from_int"), ("re.union", "re.inter"), ("re.++", "re.union"), ("str.<", "str.<="), ("xor", "and"),
    ("rotate_left", "rotate_right"), ("ubv_to_int", "@bvsize"), ("re.all", "re.none"), ("re.comp", "re.opt"),
]  # fmt: skip


def _other(random_: random.Random, atom: str, others: Sequence[str]) -> str:
    swaps = [b if atom == a else a for a, b in _SWAPS if atom in (a, b)]
    if swaps and random_.random() < 0.8:
        return random_.choice(swaps)
    if atom.lstrip("-").isdigit():
        return str(int(atom) + random_.choice((-2, -1, 1, 2)) if random_.random() < 0.8 else -int(atom))
    if atom[:2] in ("@t", "@p") and atom[2:].isdigit():
        number = int(atom[2:])
        return f"{atom[:2]}{random_.randint(1, max(2, number)) if random_.random() < 0.5 else max(1, number - 1)}"
    alike = [o for o in others if o[0] == atom[0]] if atom[0] in '"?u' else list(others)
    return random_.choice(alike) if alike else atom
