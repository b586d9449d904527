"""What of a stranger's text is refused before its data are looked at: length, words, commands, Lean's errors.

A quick refusal, with line and column, and no wall: whatever passes here, the data and the kernels decide.
"""

from __future__ import annotations

from goedels_poetry.checker.lean.original import COMMAND, MAX_TEXT, Original, Refusal, advised
from goedels_poetry.errors import InvalidInput
from goedels_poetry.lean.runtime.protocol import BARRED, CheckResult, Command, Message, place
from goedels_poetry.lean.runtime.tokens import tokenize
from goedels_poetry.lean.text.scan import RULE_OF, scan


def _kinds(*names: str) -> frozenset[str]:
    return frozenset(f"{COMMAND}{name}" for name in names)


DECLARATIONS = _kinds(
    *("theorem", "definition", "abbrev", "instance", "example", "inductive", "structure", "classInductive", "opaque"),
) | {"lemma"}
"""What text that is not the user's may declare; an opaque constant only where the theorem does not need it."""
COMMANDS = _kinds(
    *("mutual", "namespace", "section", "end", "variable", "universe", "open", "set_option", "attribute"),
    *("include", "omit", "deriving", "moduleDoc", "eoi", "notation", "mixfix", "macro", "grindPattern"),
)
"""Commands, apart from declarations, that it may contain."""
KINDS = tuple(sorted(DECLARATIONS | COMMANDS))
END = f"{COMMAND}eoi"
SETTING = "setting"
"""What a driver calls a tactic's setting that Lean would have to compute."""


def first_finding(text: str, original: str) -> Refusal | None:
    """What the length and the tokens of a text say against it."""
    if len(text) > MAX_TEXT:
        return Refusal("size", f"a text of more than {MAX_TEXT} characters")
    found = scan(text, original, compared=True)
    return Refusal(found[0].rule, found[0].text, found[0].line, found[0].column) if found else None


_DECEIVING = frozenset({"metaprogram", "notation", "unsafe", "native", "unterminated"})
"""Rules that hold for a file with which nothing of a user's is compared: its reader is to read what Lean reads."""


def has_programs(text: str) -> bool:
    """Whether a text has anything that text of others may not have, apart from a `sorry`."""
    return len(text) > MAX_TEXT or any(f.rule != "sorry" for f in scan(text))


def may_deceive(text: str) -> Refusal | None:
    """What could make a file's own text say something else than a reader takes it to say."""
    if len(text) > MAX_TEXT:
        return Refusal("size", f"a text of more than {MAX_TEXT} characters")
    found = [f for f in scan(text) if f.rule in _DECEIVING or "debug." in f.text]
    return Refusal(found[0].rule, found[0].text, found[0].line, found[0].column) if found else None


def errors(seen: CheckResult) -> Refusal | None:
    """Lean's first error, or what it was not to elaborate."""
    first = next(iter(seen.errors), None)
    if first is None:
        return None
    return _barred(first) if first.kind == BARRED else Refusal("compile", advised(first), first.line, first.column)


def _barred(message: Message) -> Refusal:
    """Lean read a word, or a command, that the text may not have: the allow-list of tokens by Lean's own reading."""
    if message.text == SETTING:
        return Refusal("metaprogram", "a setting of a tactic that is a program", message.line, message.column)
    parts = () if message.text.startswith(COMMAND) else (message.text, *message.text.split("."))
    rule = next((RULE_OF[part] for part in parts if part in RULE_OF), "")
    reason = f"`{message.text}`" if rule else f"a command of the kind `{message.text.removeprefix(COMMAND)}`"
    return Refusal(rule or "command", reason, message.line, message.column)


def foreign_commands(seen: CheckResult, text: str, original: Original) -> Refusal | None:
    """The allow-list once more, over what Lean took for commands: on both sides of every `in`."""
    theirs = {_key(original.text, c) for c in original.commands}
    for command in seen.commands:
        foreign = next((part for part in command.parts if part not in DECLARATIONS | COMMANDS), None)
        if foreign is not None and _key(text, command) not in theirs:
            kind = foreign.removeprefix(COMMAND)
            return Refusal("command", f"a command of the kind `{kind}`", *place(text, command.start))
    return None


def unfinished(seen: CheckResult, original: Original) -> Refusal | None:
    """Lean has read the text to its end, and scopes are closed there as they are in the original."""
    ends, theirs = ([c.namespace for c in commands if c.kind == END] for commands in (seen.commands, original.commands))
    if not theirs:
        raise InvalidInput("Lean does not read the original to its end", hint="remove the `#exit`")
    if not ends:
        return Refusal("unfinished", "Lean did not read the text to its end")
    if ends != theirs:
        spaces = [f"the namespace {space}" if space else "no namespace" for space in (ends[0], theirs[0])]
        return Refusal("unfinished", f"the text ends in {spaces[0]}, the original in {spaces[1]}")
    return None


def _key(text: str, command: Command) -> tuple[str, ...]:
    tokens = tokenize(text[command.start : command.end])
    return tuple(t.text for t in tokens if t.kind not in ("comment", "doc"))
