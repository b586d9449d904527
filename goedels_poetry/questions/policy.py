"""Policies: a rule text with its formulas, its review and its tests, in one SMT-LIB 2 file that people read and edit.

The file is a program of premises, as questions have them, so that one reader, one printer and one checker serve both,
and any SMT solver reads it. What formulas cannot say stands in ``set-info``: sentences, words of symbols, what is not
formalised and why, who reviewed which rules. A test stands between ``push`` and ``pop`` behind the rules: a case and a
claim. A question adds a case and a goal of the same form, and changes no rule.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import declarations, show, show_symbol
from goedels_poetry.kernel.reading.hints import nearest
from goedels_poetry.kernel.reading.reader import (
    DECLARING,
    Atom,
    Group,
    Lexeme,
    SExpr,
    Source,
    command_of,
    decode,
    is_word,
    read,
)
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.lines import as_invalid_input
from goedels_poetry.questions.entailment.program import LogicPremise, LogicProgram, Origin
from goedels_poetry.questions.program.asked import is_goal_name, read_notes
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.smt.notation.infix import Tree, render_tree

FINDINGS = {
    Verdict.PROVED: "valid",
    Verdict.REFUTED: "invalid",
    Verdict.INCONSISTENT: "impossible",
    Verdict.INVALID: "no translation",
}
"""The words of automated-reasoning checks for verdicts that need no look at the solver's answers."""
SATISFIABLE, AMBIGUOUS, TOO_COMPLEX, NO_TRANSLATION = "satisfiable", "ambiguous", "too complex", "no translation"
EXPECTED = ("valid", "invalid", SATISFIABLE, "impossible")
"""What a test may expect."""
KEYS = (":policy", ":sentence", ":words", ":not-formalised", ":reviewed", ":test")
_STANDARD = frozenset({":source", ":status", ":category", ":license", ":notes", ":smt-lib-version"})
THE_CASE = "; the case"
"""The line of a program above what a model wrote."""
_NO_RULE = "(define-fun goal () Bool false)"
_CASE_SKIPS = frozenset({"check-sat", "set-logic", "set-info", "exit", "get-model", "push", "pop"})


@dataclass(frozen=True, slots=True)
class PolicyTest:
    """A question in words with its formal case, and the finding that is expected."""

    question: str
    expected: str
    program: str
    """The rules and the case, each in the lines of the file in which it stands."""
    line: int


@dataclass(frozen=True)
class Policy:
    """A policy file that has been read."""

    text: str
    program: LogicProgram
    """The rules; its goal means nothing."""
    rules: str
    """Declarations and rules as they stand in the file."""
    title: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    """Of symbols."""
    sentences: Mapping[int, str] = field(default_factory=dict)
    left_out: Mapping[int, str] = field(default_factory=dict)
    """Sentences that are not formalised, and why."""
    review: tuple[str, str] | None = None
    """Who reviewed it, and the digest of the rules at that time."""
    tests: tuple[PolicyTest, ...] = ()
    base: str = ""
    """The file without its tests."""

    @property
    def digest(self) -> str:
        """Of all that a review is about: vocabulary with words, sentences, rules; not of tests, layout and comments."""
        rules = [[p.name, show(p.formula), list(p.sentences), p.words] for p in self.program.premises]
        definitions = [show(d.body) for d in self.program.signature.definitions]
        pairs = [sorted(each.items()) for each in (self.words, self.sentences, self.left_out)]
        whole = json.dumps([declarations(self.program.signature), definitions, rules, pairs])
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def card(self) -> dict[str, Any]:
        """``{"title", "digest", "reviewed": who reviewed these very rules, or null}``."""
        current = self.review is not None and self.review[1] == self.digest
        return {
            "title": self.title,
            "digest": self.digest,
            "reviewed": self.review[0] if self.review and current else None,
        }

    @property
    def standing(self) -> str:
        """The state of the review, in one line."""
        if self.review is None:
            return f"not reviewed (digest {self.digest})"
        who, digest = self.review
        if digest == self.digest:
            return f"reviewed by {who} (digest {digest})"
        return f"edited since the review by {who} (digest {digest} then, {self.digest} now)"

    @property
    def unsaid(self) -> tuple[int, ...]:
        """Sentences that no rule cites and that are not listed as not formalised."""
        cited = {n for premise in self.program.premises for n in premise.sentences}
        return tuple(n for n in sorted(self.sentences) if n not in cited and n not in self.left_out)

    def vocabulary(self) -> list[str]:
        """One line for each symbol: its declaration, and its words."""
        lines = []
        for line in declarations(self.program.signature):
            name = line.split(maxsplit=2)[1].strip("|")
            lines.append(line + (f" ; {self.words[name]}" if name in self.words else ""))
        return lines

    def page(self) -> list[dict[str, Any]]:
        """Each sentence with its rules, then rules that cite none: ``{"number", "text", "rules", "left_out"}``."""
        by_sentence: dict[int | None, list[LogicPremise]] = {number: [] for number in (*sorted(self.sentences), None)}
        for premise in self.program.premises:
            by_sentence[max(premise.sentences, default=None)].append(premise)
        return [
            {
                "number": number,
                "text": self.sentences.get(number, "") if number is not None else "",
                "rules": [self._shown(premise) for premise in rules],
                "left_out": self.left_out.get(number) if number is not None else None,
            }
            for number, rules in by_sentence.items()
            if rules or number is not None
        ]

    def _shown(self, rule: LogicPremise) -> dict[str, Any]:
        formula = show(rule.formula)
        words = in_words(formula, self.words)
        return {"name": rule.name, "formula": formula, "words": words, "sentences": list(rule.sentences)}


def in_words(formula: str, words: Mapping[str, str]) -> str:
    """A formula in infix notation, symbols as their words in quotes; ``{1}`` in words of a function is an argument."""

    def told(tree: Tree) -> Tree:
        if isinstance(tree, str):
            return f'"{words[tree]}"' if tree in words else tree
        head, rest = tree[0], [told(each) for each in tree[1:]]
        if isinstance(head, str) and "{1}" in words.get(head, "") and all(isinstance(each, str) for each in rest):
            text = words[head]
            for place, argument in enumerate(rest, 1):
                text = text.replace(f"{{{place}}}", str(argument).strip('"'))
            return f'"{text}"'
        return [head if isinstance(head, str) else told(head), *rest]

    return render_tree(formula, told)


def finding_of(verdict: Verdict, goals: Iterable[Mapping[str, Any]]) -> str:
    """A verdict on a claim in the words of automated-reasoning checks, as far as one translation tells.

    valid: it follows; invalid: it contradicts; satisfiable: it may be true and may be false; impossible: the case
    contradicts the rules, or itself; too complex: no answer within the limits; no translation; "" where unknown.
    """
    if verdict is Verdict.UNKNOWN:
        checks = [goal.get("checks") or {} for goal in goals]
        is_open = all(each.get("with_goal") == each.get("with_negation") == "sat" for each in checks)
        return SATISFIABLE if checks and is_open else TOO_COMPLEX if checks else NO_TRANSLATION
    return FINDINGS.get(verdict, "")


# -- reading -------------------------------------------------------------------------------------------------------


@as_invalid_input()
def read_policy(text: str | bytes) -> Policy:
    """Read a policy file; its tests are read when they are run.

    Raises:
        InvalidInput: with line and column; for whatever is no policy.
    """
    source = Source(decode(text))
    facts: dict[str, dict[Any, Any]] = {":policy": {}, ":words": {}, ":sentence": {}, ":not-formalised": {}}
    kept, tests, review = list[Group](), list[tuple[Group, list[Group], str, str]](), list[tuple[str, str]]()
    opened: Group | None = None
    for expr in read(source):
        name, command = command_of(source, expr)
        if name == "push":
            if opened is not None:
                source.fail("a test inside of a test", command, "end the one before with (pop 1)")
            opened, body, header = command, list[Group](), list[tuple[str, str]]()
        elif name == "pop":
            if opened is None:
                source.fail("(pop) without a test", command, "a test begins with (push 1)")
            goals = sum(is_goal_name(getattr(c.items[1], "text", "")) for c in body if len(c.items) > 2)
            if not header or goals != 1:
                hint = 'write (set-info :test ("May I ...?" valid)), and (define-fun goal () Bool claim)'
                source.fail("a test has one :test and one goal", opened, hint)
            tests.append((opened, body, *header[0]))
            opened = None
        elif name == "set-info":
            key, value = _info(source, command)
            if key == ":test":
                if opened is None or header:
                    source.fail("one :test for each (push 1)", command, "write (push 1) before and (pop 1) behind it")
                header.append(_pair(source, value, EXPECTED))
            elif key == ":reviewed":
                review.append(_pair(source, value))
            elif key == ":policy":
                facts[key] = {"": _text(source, value)}
            elif key:
                _numbered(source, facts[key], value, numeral=key != ":words")
        elif opened is not None:
            body.append(command)
        elif name in DECLARING or name == "assert":
            if is_goal_name(getattr(command.items[1], "text", "") if len(command.items) > 1 else ""):
                source.fail("a claim stands in a test", command, "write (push 1) before and (pop 1) behind it")
            if tests:
                source.fail("this stands behind a test", command, "first the rules, then the tests")
            kept.append(command)
        elif name != "set-logic":
            source.fail(f"`{name}` in a policy", command, "a policy declares, asserts and has tests")
    if opened is not None:
        source.fail("this test has no end", opened, "write (pop 1) behind it")
    lines = _only(source.text, kept)
    program = read_smt2(f"{lines}\n{_NO_RULE}")
    _check(source, program, facts, kept)
    found = []
    for begin, body, question, expected in tests:
        _check_case(source, program, body)
        line, _ = source.position(begin.offset)
        found.append(PolicyTest(question, expected, _only(source.text, [*kept, *body]), line))
    rules = "\n".join(source.text[command.offset : command.end] for command in kept)
    title = facts[":policy"].get("", "")
    words, sentences, left_out = facts[":words"], facts[":sentence"], facts[":not-formalised"]
    last = review[-1] if review else None
    base = source.text[: tests[0][0].offset if tests else None]
    return Policy(source.text, program, rules, title, words, sentences, left_out, last, tuple(found), base)


def _only(text: str, commands: Iterable[Group]) -> str:
    """These commands alone, each where it stands."""
    blank = ["\n" if character == "\n" else " " for character in text]
    for command in commands:
        blank[command.offset : command.end] = text[command.offset : command.end]
    return "".join(blank)


def _info(source: Source, command: Group) -> tuple[str, SExpr]:
    """Key and value; "" for a key that is none of ours."""
    key = command.items[1] if len(command.items) == 3 else None
    if not isinstance(key, Atom) or key.kind is not Lexeme.KEYWORD:
        source.fail("set-info takes a keyword and a value", command)
    if key.text not in KEYS and key.text not in _STANDARD:
        source.fail(f"unknown key {key.text}", key, nearest(key.text, KEYS) or f"known are {', '.join(KEYS)}")
    return key.text if key.text in KEYS else "", command.items[2]


def _text(source: Source, value: SExpr) -> str:
    if not isinstance(value, Atom) or value.kind is not Lexeme.STRING or not value.text.strip():
        source.fail("words in double quotes were expected here", value)
    return " ".join(value.text.split())


def _pair(source: Source, value: SExpr, known: Sequence[str] = ()) -> tuple[str, str]:
    """``("text" "text")``, or ``("text" word)`` with a word that is known."""
    items = value.items if isinstance(value, Group) else []
    if len(items) != 2 or not isinstance(items[1], Atom):
        source.fail("a pair was expected here", value, f'write ("..." {known[0] if known else chr(34) * 2})')
    if known and items[1].text not in known:
        hint = nearest(items[1].text, known) or f"one of {', '.join(known)}"
        source.fail(f"unknown finding `{items[1].text}`", items[1], hint)
    return _text(source, items[0]), items[1].text


def _numbered(source: Source, table: dict[Any, str], value: SExpr, *, numeral: bool) -> None:
    """Add ``(3 "text")`` or ``(symbol "text")`` to a table."""
    items = value.items if isinstance(value, Group) else []
    kind, form = (Lexeme.NUMERAL, '(3 "...")') if numeral else (Lexeme.SYMBOL, '(name "...")')
    if len(items) != 2 or not isinstance(items[0], Atom) or items[0].kind is not kind or len(items[0].text) > 200:
        source.fail("a pair was expected here", value, f"write {form}")
    key: Any = int(items[0].text[:6]) if numeral else items[0].text
    if key in table:
        source.fail(f"a second text for {items[0].text}", value, "remove one of them")
    table[key] = _text(source, items[1])


def _check(
    source: Source, program: LogicProgram, facts: Mapping[str, Mapping[Any, str]], kept: Sequence[Group]
) -> None:
    """Raise InvalidText: what is cited, described or left out is not there."""
    names = {*program.signature.names, *(sort.name for sort in program.signature.sorts)}
    names |= {datatype.sort.name for datatype in program.signature.datatypes}
    for name in facts[":words"]:
        if name not in names:
            source.fail(f"words for `{name}`, which is not declared", source.text.find(name), nearest(name, names))
    cited = {n: premise.name for premise in program.premises for n in premise.sentences}
    cited |= dict.fromkeys(facts[":not-formalised"], ":not-formalised")
    for number, where in cited.items():
        if number not in facts[":sentence"]:
            at = next((c for c in kept if where in source.text[c.offset : c.end]), 0)
            source.fail(
                f"{where} cites sentence {number}, which is not there", at, "add it with :sentence, or correct it"
            )


# -- a case --------------------------------------------------------------------------------------------------------


def _check_case(source: Source, program: LogicProgram, commands: Iterable[Group]) -> None:
    """Raise InvalidText for what a case may not do: it names things, states facts about them, and has a claim."""
    names = program.signature.names
    sorts = {sort.name for sort in program.signature.sorts}
    for command in commands:
        name, items = command_of(source, command)[0], command.items
        word = getattr(items[1], "text", "") if len(items) > 1 else ""
        nullary = name == "declare-const" or (
            name == "declare-fun" and isinstance(items[2], Group) and not items[2].items
        )
        if name == "assert" or (name.startswith("define-") and is_goal_name(word)):
            continue
        if nullary and len(items) in (3, 4) and getattr(items[-1], "text", "") in sorts and word not in names:
            continue
        if name in DECLARING:
            hint = nearest(word, names) or "say it with the names of the policy, or leave it out"
            source.fail(f"a case declares no `{word}`: it may only name things of a sort of the policy", command, hint)
        source.fail(f"`{name}` in a case", command, "a case names things, asserts facts, and has a goal")


@as_invalid_input()
def with_case(policy: Policy, case: str, cited: Collection[int]) -> str:
    """The rules, `THE_CASE`, and a case that a model wrote, as one program; the case begins in line `first_line`.

    Args:
        cited: numbers of sentences that tell of the case: facts come from these, or are marked as assumptions.

    Raises:
        InvalidInput: with the line of the case; it changes the rules, or does not say where a fact is from.
    """
    source, known = Source(decode(case)), {_flat(command) for command in read(Source(policy.rules))}
    own = [c for c in read(source) if _flat(c) not in known and command_of(source, c)[0] not in _CASE_SKIPS]
    commands = [command_of(source, each)[1] for each in own]
    _check_case(source, policy.program, commands)
    for command in commands:
        if is_word(command.items[0], "assert") and len(command.items) == 2:
            notes = read_notes(source, command.items[1])[1]
            if notes.origin is Origin.UNSAID:
                source.fail(
                    "it is not said where this fact is from", command, "add :sentence, or :world for an assumption"
                )
            wrong = next((n for n in notes.sentences if n not in cited), None)
            if wrong is not None:
                hint = f"sentences of the case: {', '.join(map(str, sorted(cited))) or 'none'}; rules are there already"
                source.fail(f"sentence {wrong} does not tell of the case", command, hint)
    return f"{policy.rules}\n{THE_CASE}\n{_only(source.text, commands)}"


def first_line(policy: Policy) -> int:
    """The line of a program of `with_case` in which the case begins."""
    return policy.rules.count("\n") + 3


def _flat(expr: SExpr) -> str:
    if isinstance(expr, Atom):
        return f'"{expr.text}"' if expr.kind is Lexeme.STRING else expr.text
    return f"({' '.join(map(_flat, expr.items))})"


# -- writing -------------------------------------------------------------------------------------------------------


def policy_text(
    title: str, sentences: Sequence[tuple[int | None, str]], parts: Sequence[Mapping[str, Any]] = ()
) -> str:
    """A policy file: vocabulary, then each sentence with its rules below it; headings are sentences without a number.

    ``parts``: what `read_rules` made of the sections so far.
    """
    lines = [f"(set-info :policy {_quoted(title)})", ""]
    for symbol in (symbol for part in parts for symbol in part["symbols"]):
        lines += [
            symbol["declaration"],
            f"(set-info :words ({show_symbol(symbol['name'])} {_quoted(symbol['words'])}))",
        ]
    left_out = {each["sentence"]: each["why"] for part in parts for each in part["left_out"]}
    rules = [(rule["sentences"], rule["formula"]) for part in parts for rule in part["rules"]]
    names = {id(rule): f"r{number}" for number, rule in enumerate(rules, 1)}
    for number, text in sentences:
        lines += ["", f"; {text}"] if number is None else ["", f"(set-info :sentence ({number} {_quoted(text)}))"]
        if number in left_out:
            lines.append(f"(set-info :not-formalised ({number} {_quoted(left_out[number])}))")
        for rule in rules:
            if number is not None and max(rule[0]) == number:
                cited = rule[0][0] if len(rule[0]) == 1 else f"({' '.join(map(str, rule[0]))})"
                lines.append(f"(assert (! {rule[1]}\n           :named {names[id(rule)]} :sentence {cited}))")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = " ".join(text.split()).replace('"', '""')
    return f'"{escaped}"'


def reviewed(text: str, name: str) -> str:
    """The file with the mark that ``name`` has reviewed its rules as they are now; raises InvalidInput."""
    policy = read_policy(text)
    source = Source(policy.text)
    infos = [c for c in read(source) if isinstance(c, Group) and is_word(c.items[0], "set-info")]
    at = {key: c for c in infos for key in [getattr(c.items[1], "text", "")] if key in (":reviewed", ":policy")}
    mark = f'(set-info :reviewed ({_quoted(name)} "{policy.digest}"))'
    old, title = at.get(":reviewed"), at.get(":policy")
    start, end = (old.offset, old.end) if old else (title.end, title.end) if title else (0, 0)
    return (
        f"{policy.text[:start]}{'' if old or not start else chr(10)}{mark}{'' if start else chr(10)}{policy.text[end:]}"
    )


def read_rules(policy: Policy, said: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """What a model's reply about the sentences that are `Policy.unsaid` adds to a policy, and what is wrong with it.

    ``{"symbols": [{"declaration", "name", "words"}], "rules": [{"sentences", "formula"}], "left_out": [{"sentence",
    "why"}]}``: all that can be read; a sentence that no rule renders then is left out, with the reason.
    """
    text, faults = policy.rules, list[str]()
    why = {int(each["sentence"]): str(each["why"]) for each in said["left_out"]}
    symbols, rules, rendered = list[dict[str, str]](), list[dict[str, Any]](), set[int]()
    known = {_flat(command) for command in read(Source(policy.rules))}

    def add(what: str, command: str, expr: str) -> bool:
        nonlocal text
        try:
            with as_invalid_input():
                if len(read(Source(decode(expr)))) != 1 or len(expr) > 5_000:
                    raise InvalidInput("one expression was expected")
            read_smt2(f"{text}\n{command}\n{_NO_RULE}")
        except InvalidInput as error:
            faults.append(f"{what} {expr[:200]}: {error.message}" + (f" ({error.hint})" if error.hint else ""))
            return False
        text = f"{text}\n{command}"
        return True

    for symbol in said["symbols"]:
        declaration = str(symbol["declaration"]).strip()
        name = _declared(declaration)
        if not name:
            faults.append(
                f"symbol {declaration[:200]}: one declare-sort, declare-const, declare-fun or declare-datatype"
            )
        elif declaration not in known and add("symbol", declaration, declaration):
            symbols.append({"declaration": declaration, "name": name, "words": str(symbol["words"]).strip() or name})
    for rule in said["rules"]:
        formula, cited = str(rule["formula"]).strip(), sorted({int(n) for n in rule["sentences"]})
        if not cited or not set(cited) <= set(policy.sentences):
            faults.append(f"rule {formula[:200]}: it has to cite sentences of the text, not {cited}")
        elif add("rule", f"(assert (! {formula} :sentence ({' '.join(map(str, cited))})))", formula):
            rules.append({"sentences": cited, "formula": formula})
            rendered |= set(cited)
    for number in policy.unsaid:
        if number not in rendered and not why.get(number, "").strip():
            faults.append(f"sentence {number}: no rule renders it, and it is not left out with a reason")
            why[number] = "the model gave no rule that can be read"
    left_out = [{"sentence": n, "why": why[n]} for n in policy.unsaid if n not in rendered]
    return {"symbols": symbols, "rules": rules, "left_out": left_out}, faults


def _declared(declaration: str) -> str:
    """The name that one command declares; "" when it is no declaration."""
    try:
        with as_invalid_input():
            command = read(Source(decode(declaration)))[0]
    except (InvalidInput, IndexError):
        return ""
    items = command.items if isinstance(command, Group) else []
    kinds = ("declare-sort", "declare-const", "declare-fun", "declare-datatype")
    named = len(items) > 2 and isinstance(items[1], Atom) and any(is_word(items[0], kind) for kind in kinds)
    return getattr(items[1], "text", "") if named else ""
