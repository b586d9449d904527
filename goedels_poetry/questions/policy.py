"""Policies: a rule text with its formulas, its review and its tests, in one SMT-LIB 2 file that people read and edit.

The file is a program of premises, so that one reader, one printer and one checker serve it. What formulas cannot say
is in ``set-info``. A test, a case and a claim, is between ``push`` and ``pop`` behind the rules. A question to a policy
adds a case and a goal of the same form, and changes no rule.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import declarations, equations, show, show_symbol
from goedels_poetry.kernel.reading import reader
from goedels_poetry.kernel.reading.hints import nearest
from goedels_poetry.kernel.reading.reader import DECLARING, Atom, Group, Lexeme, SExpr, Source, command_of, decode
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.lines import as_invalid_input
from goedels_poetry.questions.entailment.program import LogicProgram, Origin
from goedels_poetry.questions.program.asked import is_goal_name, read_notes
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.smt.notation.infix import Tree, render_tree

EXPECTED = ("valid", "invalid", "satisfiable", "impossible")
"""The words of automated-reasoning checks that a test may expect, see `finding_of`."""
AMBIGUOUS, TOO_COMPLEX, NO_TRANSLATION = "ambiguous", "too complex", "no translation"
FINDINGS = {
    **dict(zip((Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN, Verdict.INCONSISTENT), EXPECTED, strict=True)),
    Verdict.INVALID: NO_TRANSLATION,
}
_THE_CASE = "\n; the case\n"
"""In a program, between the rules and what a model wrote."""
NO_CLAIM = "(define-fun goal () Bool false)"
_NUMBER, _SYMBOL, _TEXT = Lexeme.NUMERAL, Lexeme.SYMBOL, Lexeme.STRING
_INFO: dict[str, tuple[list[Lexeme], str]] = {
    ":policy": ([_TEXT], '"title"'),
    ":sentence": ([_NUMBER, _TEXT], '(3 "a sentence")'),
    ":words": ([_SYMBOL, _TEXT], '(age "age of {1} in years")'),
    ":not-formalised": ([_NUMBER, _TEXT], '(3 "why")'),
    ":reviewed": ([_TEXT, _TEXT], '("who" "digest")'),
    ":test": ([_TEXT, _SYMBOL], '("May I ...?" valid)'),
}
"""Keys of ``set-info``: the form of their values, and one of them."""
_DECLARES = ("declare-sort", "declare-const", "declare-fun", "declare-datatype")
_LEFT_ASIDE = ("check-sat", "set-logic", "set-info", "exit", "get-model", "push", "pop")
"""Commands of a case that mean nothing there."""


class PolicyTest(NamedTuple):
    """A question in words with its formal case, and the finding that is expected."""

    line: int
    question: str
    expected: str
    program: str
    """The rules and the case, each in its lines of the file."""


@dataclass(frozen=True)
class Policy:
    """A policy file that has been read."""

    text: str
    base: str
    """The file without its tests."""
    rules: str
    """Declarations and rules as they stand in the file."""
    program: LogicProgram
    """The rules; its goal means nothing."""
    sentences: Mapping[int, str]
    words: Mapping[str, str]
    """Of symbols."""
    left_out: Mapping[int, str]
    """Sentences that are not formalised, and why."""
    title: str
    reviews: Mapping[str, str]
    """Who reviewed it, and the digest of the rules at that time."""
    tests: tuple[PolicyTest, ...]

    @property
    def digest(self) -> str:
        """Of all that a review is about: vocabulary, words, sentences, rules; not of tests, layout and comments."""
        signature = self.program.signature
        rules = [[p.name, show(p.formula), list(p.sentences), p.words] for p in self.program.premises]
        rules += [[p.name, show(p.formula), p.words, "instead of", p.instead] for p in self.program.readings]
        texts = [sorted(each.items()) for each in (self.words, self.sentences, self.left_out)]
        whole = json.dumps([declarations(signature), equations(signature), rules, texts])
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def card(self) -> dict[str, Any]:
        """``{"title", "digest", "reviewed": who reviewed these very rules, or null, "standing": in one line}``."""
        now = self.digest
        by = next((who for who, then in self.reviews.items() if then == now), None)
        earlier = [
            f"edited since the review by {who} (digest {then} then, {now} now)" for who, then in self.reviews.items()
        ]
        standing = f"reviewed by {by} (digest {now})" if by else (*earlier, f"not reviewed (digest {now})")[0]
        return {"title": self.title, "digest": now, "reviewed": by, "standing": standing}

    @property
    def unsaid(self) -> list[int]:
        """Sentences that no rule cites and that are not listed as not formalised."""
        said = {*self.left_out, *(n for premise in self.program.premises for n in premise.sentences)}
        return sorted(self.sentences.keys() - said)

    def vocabulary(self) -> list[str]:
        """One line for each symbol: its declaration, and its words."""
        words = {f"{show_symbol(name)} ": text for name, text in self.words.items()}
        said = {line: line.partition(" ")[2] for line in declarations(self.program.signature)}
        return [line + "".join(f" ; {words[w]}" for w in words if rest.startswith(w)) for line, rest in said.items()]

    def page(self) -> list[str]:
        """Lines for a reviewer: each sentence, below it its rules in words, or why there are none."""
        below: dict[int, list[str]] = {number: [] for number in (*sorted(self.sentences), 0)}
        for rule in self.program.premises:
            cited = f" {list(rule.sentences)}" if len(rule.sentences) > 1 else ""
            words = in_words(show(rule.formula), self.words)
            below[max(rule.sentences, default=0)].append(f"    {rule.name}{cited}: {words}")
        for reading in self.program.readings:
            words = f"{in_words(show(reading.formula), self.words)} ({reading.words})"
            below[max(reading.sentences, default=0)].append(f"    {reading.name}, a reading: {words}")
        meant = [in_words(text.removeprefix("(assert ")[:-1], self.words) for text in equations(self.program.signature)]
        below[0] += [f"    by definition: {text}" for text in meant]
        for number, why in {**dict.fromkeys(self.unsaid, "no reason is given"), **self.left_out}.items():
            below[number].append(f"    not formalised: {why}")
        heads = {**{number: f"[{number}] {text}" for number, text in self.sentences.items()}, 0: "Citing no sentence:"}
        return [line for number, lines in below.items() if number or lines for line in (heads[number], *lines)]

    def rendered(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Goals, core and conditions of a result as JSON, in the policy's words; assumptions keep their own."""

        def words(part: Mapping[str, Any]) -> dict[str, Any]:
            formulas = part.get("facts") or [part["formula"]]
            own = part["words"] if part.get("origin") == "world" else None
            return {**part, "words": own or " and ".join(in_words(formula, self.words) for formula in formulas)}

        return {key: tuple(map(words, result.get(key) or ())) for key in ("goals", "core", "conditions")}


def in_words(formula: str, words: Mapping[str, str]) -> str:
    """A formula in infix notation, symbols as their words in quotes; ``{1}`` in words of a function is an argument.

    Words that leave out an argument are not used: they would hide it.
    """
    words = {show_symbol(name): text for name, text in words.items()}

    def substituted(tree: Tree) -> Tree:
        if isinstance(tree, str):
            return f'"{words[tree]}"' if tree in words else tree
        head, rest = tree[0], [substituted(each) for each in tree[1:]]
        places = {f"{{{place}}}": str(argument).strip('"') for place, argument in enumerate(rest, 1)}
        named = isinstance(head, str) and all(place in words.get(head, "") for place in places)
        if not isinstance(head, str) or not named or any(isinstance(r, list) for r in rest):
            return [head if isinstance(head, str) else substituted(head), *rest]
        text = re.sub(r"\{[0-9]+\}", lambda place: places.get(place[0], place[0]), words[head])
        return f'"{text}"'

    return render_tree(formula, substituted)


def finding_of(verdict: Verdict, goals: Iterable[Mapping[str, Any]]) -> str:
    """A verdict on a claim in the words of automated-reasoning checks, as far as one translation tells.

    valid: it follows; invalid: it contradicts; satisfiable: it may be true and may be false; impossible: the case
    contradicts the rules, or itself; too complex: no answer within the limits; no translation: none that is accepted.
    """
    statuses = {goal["checks"][side] for goal in goals for side in ("with_goal", "with_negation")}
    if verdict is Verdict.UNKNOWN and statuses != {"sat"}:
        return TOO_COMPLEX if "unknown" in statuses else NO_TRANSLATION
    return FINDINGS.get(verdict, "")


# -- reading -------------------------------------------------------------------------------------------------------


@as_invalid_input()
def read_policy(text: str | bytes) -> Policy:
    """Read a policy file; formulas of its tests are read when these are run.

    Raises:
        InvalidInput: with line and column; it is no policy.
    """
    source = Source(decode(text))
    commands = [command_of(source, expr) for expr in reader.read(source)]
    first = next((place for place, (name, _) in enumerate(commands) if name == "push"), len(commands))
    info: dict[str, dict[Any, str]] = {key: {} for key in _INFO}
    kept = list[Group]()
    for name, command in commands[:first]:
        if name == "set-info":
            key, one, text = _info(source, command)
            if one in info[key] or key == ":test":
                source.fail(f"a second {key} {one}" * (one in info[key]) or "a :test without (push 1)", command, _TESTS)
            info[key][one] = text
        elif (name not in DECLARING and name != "assert") or is_goal_name(_word(command)):
            source.fail(f"`{name} {_word(command)}` among the rules", command, _TESTS)
        else:
            kept.append(command)
    program = read_smt2(f"{_only(source.text, kept)}\n{NO_CLAIM}")
    _check_info(source, program, info, kept)
    base = source.text[: commands[first][1].offset] if first < len(commands) else source.text
    rules = "\n".join(source.text[command.offset : command.end] for command in kept)
    tests = tuple(_tests(source, program, kept, commands[first:]))
    texts = (info[":sentence"], info[":words"], info[":not-formalised"], next(iter(info[":policy"]), ""))
    return Policy(source.text, base, rules, program, *texts, info[":reviewed"], tests)


_TESTS = 'rules first, then tests: (push 1) (set-info :test ("May I ...?" valid)), facts, a goal, (pop 1)'


def _word(command: Group) -> str:
    return getattr(command.items[1], "text", "") if len(command.items) > 1 else ""


def _tests(
    source: Source, program: LogicProgram, rules: list[Group], commands: list[tuple[str, Group]]
) -> Iterator[PolicyTest]:
    """The tests that commands are."""
    while commands:
        end = next((n for n, (name, _) in enumerate(commands) if name == "pop"), -1)
        block, commands = commands[: end + 1], commands[end + 1 :]
        body = [command for name, command in block if name not in ("push", "pop", "set-info")]
        infos = [_info(source, command) for name, command in block if name == "set-info"]
        goals = sum(is_goal_name(_word(command)) for command in body)
        form = len(block) - len(body), [key for key, *_ in infos], goals
        if form != (3, [":test"], 1) or block[0][0] != "push":
            source.fail("malformed test", (block or commands)[0][1], _TESTS)
        _check_case(source, program, body)
        line, _ = source.position(block[0][1].offset)
        yield PolicyTest(line, str(infos[0][1]), infos[0][2], _only(source.text, [*rules, *body]))


def _only(text: str, commands: Iterable[Group]) -> str:
    """The text with blanks for all but these commands."""
    blank = ["\n" if character == "\n" else " " for character in text]
    for command in commands:
        blank[command.offset : command.end] = text[command.offset : command.end]
    return "".join(blank)


def _info(source: Source, command: Group) -> tuple[str, Any, str]:
    """Key and both parts of the value of a ``set-info``, a number as such."""
    key = _word(command)
    if key not in _INFO or len(command.items) != 3:
        source.fail(f"set-info {key}", command, nearest(key, _INFO) or f"known are {', '.join(_INFO)}")
    form, example = _INFO[key]
    value = command.items[2]
    atoms = value.items if isinstance(value, Group) else [value]
    kinds = [atom.kind for atom in atoms if isinstance(atom, Atom)]
    texts = [" ".join(atom.text.split()) for atom in atoms if isinstance(atom, Atom)]
    numeral = kinds[:1] == [Lexeme.NUMERAL]
    if len(kinds) != len(atoms) or kinds != form or not all(texts) or (numeral and len(texts[0]) > 6):
        source.fail(f"malformed {key}", value, f"write (set-info {key} {example})")
    if key == ":test" and texts[1] not in EXPECTED:
        hint = nearest(texts[1], EXPECTED) or f"expected is one of {', '.join(EXPECTED)}"
        source.fail(f"unknown finding {texts[1]}", value, hint)
    return key, int(texts[0]) if numeral else texts[0], texts[-1]


def _check_info(source: Source, program: LogicProgram, info: Mapping[str, Any], rules: Iterable[Group]) -> None:
    """Raise InvalidText: a symbol with words, or a sentence that is cited or left out, does not exist."""
    kinds = (*program.signature.sorts, *(datatype.sort for datatype in program.signature.datatypes))
    names = program.signature.names | {sort.name for sort in kinds}
    for name in info[":words"].keys() - names:
        source.fail(f"words for `{name}`, which is not declared", source.text.find(f"({name} "), nearest(name, names))
    cited = {n: f":named {premise.name}" for premise in program.premises for n in premise.sentences}
    for number, where in {**dict.fromkeys(info[":not-formalised"], ":not-formalised"), **cited}.items():
        if number not in info[":sentence"]:
            at = next((c.offset for c in rules if where in source.text[c.offset : c.end]), 0)
            source.fail(f"{where} cites sentence {number}, which is not there", at, "add it with :sentence")


# -- a case --------------------------------------------------------------------------------------------------------


def _check_case(source: Source, program: LogicProgram, commands: Iterable[Group]) -> None:
    """Raise InvalidText for what a case may not do: it names things, states facts about them, and has a claim."""
    names, sorts = program.signature.names, {sort.name for sort in program.signature.sorts}
    for command in commands:
        name, items = command_of(source, command)[0], command.items
        word, sort = _word(command), getattr(items[-1], "text", "")
        if name == "assert" or (name.startswith("define-") and is_goal_name(word)):
            continue
        nullary = name == "declare-const" or (name == "declare-fun" and _flat(items[2]) == "()")
        if name in DECLARING and not (nullary and sort in sorts and word not in names):
            hint = nearest(word, names - {word}) or "say it with the names of the policy, or leave it out"
            source.fail(f"a case declares no `{word}`: it may only name things of a sort of the policy", command, hint)
        if name not in DECLARING:
            source.fail(f"`{name}` in a case", command, "a case names things, asserts facts, and has a goal")


@as_invalid_input()
def with_case(policy: Policy, case: str, cited: Collection[int]) -> str:
    """The rules and a case that a model wrote, as one program, see `case_of`; what repeats the rules is left out.

    Args:
        cited: numbers of sentences that tell of the case: facts come from these, or are marked as assumptions.

    Raises:
        InvalidInput: with the line of the case; it changes the rules, or does not say where a fact is from.
    """
    source, known = Source(decode(case)), set(map(_flat, reader.read(Source(policy.rules))))
    commands = [command_of(source, each) for each in reader.read(source) if _flat(each) not in known]
    own = [command for name, command in commands if name not in _LEFT_ASIDE]
    _check_case(source, policy.program, own)
    for command in own:
        if reader.is_word(command.items[0], "assert") and len(command.items) == 2:
            notes = read_notes(source, command.items[1])[1]
            wrong = [n for n in notes.sentences if n not in cited]
            if notes.origin is Origin.WORLD and {"forall", "exists", "=>"} & reader.symbols_in([command]):
                source.fail("an assumption states a fact", command, "rules come from the policy: leave it out")
            if notes.origin is Origin.UNSAID or wrong:
                what = f"sentence {wrong[0]} does not tell of the case" if wrong else "where is this fact from?"
                source.fail(what, command, f"cite one of {sorted(cited)}, or mark an assumption with :world")
    return f"{policy.rules}{_THE_CASE}{_only(source.text, own)}"


def case_of(program: str) -> tuple[int, str]:
    """Of a program that `with_case` has made: how many lines are the rules', and the case."""
    rules, mark, case = program.partition(_THE_CASE)
    return f"{rules}{mark}".count("\n"), case


def _flat(expr: SExpr) -> str:
    if isinstance(expr, Atom):
        return f'"{expr.text}"' if expr.kind is Lexeme.STRING else expr.text
    return f"({' '.join(map(_flat, expr.items))})"


# -- writing -------------------------------------------------------------------------------------------------------


def policy_text(title: str, sentences: Sequence[tuple[int | None, str]], parts: Sequence[Mapping[str, Any]]) -> str:
    """A policy file: vocabulary, then each sentence with its rules below it; headings are sentences without a number.

    ``parts``: what `read_rules` made of the sections so far.
    """
    lines = [f"(set-info :policy {_quoted(title.strip() or 'policy')})", ""]
    for symbol in (symbol for part in parts for symbol in part["symbols"]):
        words = _quoted(symbol["words"].strip() or symbol["name"])
        lines += [symbol["declaration"], f"(set-info :words ({show_symbol(symbol['name'])} {words}))"]
    below: dict[int | None, list[str]] = {}
    for number, rule in enumerate((rule for part in parts for rule in part["rules"]), 1):
        cited = " ".join(map(str, rule["sentences"]))
        text = f"(assert (! {rule['formula']}\n           :named r{number} :sentence ({cited})))"
        below.setdefault(max(rule["sentences"]), []).append(text)
    for each in (each for part in parts for each in part["left_out"]):
        below[each["sentence"]] = [f"(set-info :not-formalised ({each['sentence']} {_quoted(each['why'])}))"]
    for place, text in sentences:
        said = f"; {text}" if place is None else f"(set-info :sentence ({place} {_quoted(text)}))"
        lines += ["", said, *below.get(place, ())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = " ".join(text.split()).replace('"', '""')
    return f'"{escaped}"'


def reviewed(text: str, name: str) -> str:
    """The file with the mark that ``name`` has reviewed its rules as they are now.

    Raises:
        InvalidInput: it is no policy, or would be none with such a name.
    """
    policy = read_policy(text)
    commands = [each for each in reader.read(Source(policy.text)) if isinstance(each, Group)]
    rest, first = policy.text, commands[0].offset if commands else 0
    for command in reversed([each for each in commands if _flat(each).startswith("(set-info :reviewed ")]):
        rest = rest[: command.offset] + rest[command.end :].removeprefix("\n")
    mark = f'(set-info :reviewed ({_quoted(name)} "{policy.digest}"))'
    return read_policy(f"{rest[:first]}{mark}\n{rest[first:]}").text


def read_rules(policy: Policy, said: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Additions to a policy by a model's reply about the sentences that are `Policy.unsaid`, and faults of the reply.

    ``{"symbols": [{"declaration", "name", "words"}], "rules": [{"sentences", "formula"}], "left_out": [{"sentence",
    "why"}]}``: all that can be read; a sentence that no rule renders then is left out, with the reason.
    """
    text, faults = policy.rules, list[str]()
    found: dict[str, Any] = {"symbols": [], "rules": [], "left_out": []}

    def add(kind: str, expr: str, form: str, **facts: Any) -> None:
        nonlocal text
        try:
            facts |= {"name": _symbol(expr, _DECLARES)} if kind == "symbols" else {"formula": expr}
            _symbol(expr)
            read_smt2(f"{text}\n{form.format(expr)}\n{NO_CLAIM}")
        except InvalidInput as error:
            faults.append(f"{expr[:200]}: {error.message}{f' ({error.hint})' if error.hint else ''}")
        else:
            text += f"\n{form.format(expr)}"
            found[kind].append(facts)

    for symbol in said["symbols"]:
        if (declaration := str(symbol["declaration"]).strip()) not in policy.rules:
            add("symbols", declaration, "{}", declaration=declaration, words=str(symbol["words"]))
    for rule in said["rules"]:
        formula, cited = str(rule["formula"]).strip(), sorted({int(number) for number in rule["sentences"]})
        if cited and policy.sentences.keys() >= set(cited):
            numbers = " ".join(map(str, cited))
            add("rules", formula, f"(assert (! {{}} :sentence ({numbers})))", sentences=cited)
        else:
            faults.append(f"{formula[:200]}: it has to cite sentences of the text, not {cited}")
    rendered = {number for rule in found["rules"] for number in rule["sentences"]}
    why = {int(each["sentence"]): str(each["why"]).strip() for each in said["left_out"]}
    for number in policy.unsaid:
        if number not in rendered:
            reason = why.get(number) or "the model gave no rule that can be read"
            found["left_out"].append({"sentence": number, "why": reason})
            faults += [] if why.get(number) else [f"sentence {number}: no rule renders it, and no reason is given"]
    return found, faults


@as_invalid_input()
def _symbol(text: str, kinds: Sequence[str] = ()) -> str:
    """The second word of the one expression that a text is, of one of these kinds; raises InvalidInput."""
    source = Source(decode(text))
    exprs = reader.read(source)
    items = exprs[0].items if len(exprs) == 1 and isinstance(exprs[0], Group) else []
    if len(exprs) != 1 or len(text) > 5_000 or (kinds and (len(items) < 3 or _flat(items[0]) not in kinds)):
        source.fail("one expression was expected", 0, f"such as ({' ...), ('.join(kinds or ['=>'])} ...)")
    return _flat(items[1]) if len(items) > 1 else ""
