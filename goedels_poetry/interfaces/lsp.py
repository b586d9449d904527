"""A language server for theorems: what is wrong while somebody types, proofs and refutations when they ask.

While a text changes it is only read, in a worker process that no solver is in. A proof is a run like any other, in a
framework of its own, so that it stops alone; what it says is shown as long as the text is the one that it is about.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import ServerTextPosition, ServerTextRange, TextDocument

from goedels_poetry import languages
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput, UnknownLanguage
from goedels_poetry.framework import Answered, GoedelsPoetryFramework
from goedels_poetry.interfaces.filling import Edit, Unfillable, difference, filled
from goedels_poetry.interfaces.formats import Place, places
from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, decode, is_word, read
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.base import Configurable, Language
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.trace.explain import HELPFUL_LEMMA, explain
from goedels_poetry.trace.wording import counterexample_lines
from goedels_poetry.version import __version__

SOURCE = "goedels-poetry"
PROVE, STOP = "goedels-poetry.prove", "goedels-poetry.stop"
"""Commands, with the arguments uri and theorem; the first answers with verdict, reason and run."""
PAUSE = 0.3
"""Seconds without a change before a text is read."""
GRACE = 5.0
"""Seconds that a stopped run has to end by itself."""
STOPPED = "interrupted in the editor"
SEVERITY = {
    Verdict.REFUTED: types.DiagnosticSeverity.Error,
    Verdict.INCONSISTENT: types.DiagnosticSeverity.Error,
    Verdict.INVALID: types.DiagnosticSeverity.Error,
    Verdict.UNKNOWN: types.DiagnosticSeverity.Warning,
    Verdict.OUT_OF_BUDGET: types.DiagnosticSeverity.Warning,
    Verdict.TESTED: types.DiagnosticSeverity.Information,
    Verdict.PROVED: types.DiagnosticSeverity.Hint,
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a run while its text stands."""

    title: str
    diagnostics: tuple[types.Diagnostic, ...]
    fixes: tuple[tuple[str, types.TextEdit], ...] = ()
    """Edits of the text, each with its title."""


class Editor(LanguageServer):
    """One client and its documents."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(SOURCE, __version__)
        self._settings = settings
        self._readers: dict[str, Language] = {}
        self._faults: dict[str, list[types.Diagnostic]] = {}
        self._shown: dict[str, dict[str, Shown]] = {}
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._asked: set[tuple[str, str]] = set()
        self._proving: dict[tuple[str, str], tuple[GoedelsPoetryFramework, asyncio.Task[Any]]] = {}

    # -- reading -----------------------------------------------------------------------------------------------
    def changed(self, uri: str) -> None:
        """A text is new: nothing is known about it."""
        self._forget(uri)
        self._reading[uri] = asyncio.create_task(self._read(uri))

    def closed(self, uri: str) -> None:
        """Nobody looks at the text any more; its proofs go on."""
        self._forget(uri)
        self._faults.pop(uri, None)
        self._publish(uri)

    def _forget(self, uri: str) -> None:
        self._shown.pop(uri, None)
        if uri in self._reading:
            self._reading.pop(uri).cancel()

    async def _read(self, uri: str) -> None:
        await asyncio.sleep(PAUSE)
        document = self.workspace.get_text_document(uri)
        self._faults[uri] = [fault async for fault in self._faults_of(document)]
        self._publish(uri)
        self._refresh()

    async def _faults_of(self, document: TextDocument) -> Any:
        """Where the text is wrong, in its reader's words, and what of it is not followed."""
        text, language = document.source, language_of(document)
        stated = places(text, language)
        if language == "python" and not stated:
            stated = (Place("", 1, 1),) if any(name in text for name in ("goedels_poetry", "deal", "icontract")) else ()
        elif language == "lean":
            stated = stated[:1] if _has_lean(self._settings) else ()
        elif language == "smt":  # the last goal's text has all that stands before it
            stated = (stated or (Place("", 1, 1),))[-1:]
        for place in stated:
            name = place.name if len(places(text, language)) > 1 else ""
            try:
                theorem = await self._reader(language).read(text, {"theorem": name} if name else {})
            except InvalidInput as error:
                if place.name or "no function of the file" not in error.message:
                    where = Place("", error.line or place.line, error.column or 1)
                    said = f"{error.message} ({error.hint})" if error.hint else error.message
                    yield _diagnostic(document, where, said, types.DiagnosticSeverity.Error, "invalid")
                return
            except (GoedelsPoetryError, OSError) as problem:  # a time-out is one
                yield _diagnostic(document, place, str(problem), types.DiagnosticSeverity.Information, "unread")
                return
            for warning in theorem.warnings:
                line = re.search(r"\bline (\d+): ", warning)
                where = Place("", int(line[1]), 1) if line else place
                yield _diagnostic(document, where, warning, types.DiagnosticSeverity.Information, "note")

    def _reader(self, language: str) -> Language:
        if language not in self._readers:
            made = languages.get(language)
            if isinstance(made, Configurable):
                made.configure(self._settings)
            self._readers[language] = made
        return self._readers[language]

    def _publish(self, uri: str) -> None:
        shown = [each for known in self._shown.get(uri, {}).values() for each in known.diagnostics]
        every = [*self._faults.get(uri, ()), *shown]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=every))

    def _refresh(self) -> None:
        """Have the client ask for lenses again, where it can."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    # -- proving -----------------------------------------------------------------------------------------------
    async def prove(self, uri: str, theorem: str) -> dict[str, Any]:
        """Prove or refute one theorem as its text is now; cancelling it ends all that it has started."""
        if (uri, theorem) in self._asked:
            return {"verdict": None, "reason": "under way already", "run_id": ""}
        self._asked.add((uri, theorem))
        try:
            return await self._prove(uri, theorem)
        finally:
            self._asked.discard((uri, theorem))
            self._refresh()

    async def _prove(self, uri: str, theorem: str) -> dict[str, Any]:
        request = self.protocol._request_futures.get(self.protocol.msg_id or "")
        if request is not None:  # pygls cancels what answers the client, and not the command that this waits for
            request.add_done_callback(lambda done: self.stop(uri, theorem) if done.cancelled() else None)
        document = self.workspace.get_text_document(uri)
        text, language = document.source, language_of(document)
        several = len(places(text, language)) > 1
        options = {"assume_definitions": False, **({"theorem": theorem} if several else {})}
        name = f"{to_fs_path(uri) or uri}{f':{theorem}' if several else ''}"
        framework = GoedelsPoetryFramework(self._settings, checkpoint_all=False)
        async with self._progress(f"prove {theorem or Path(name).name}", (uri, theorem)) as report, framework:
            asked = framework.aprove(text, name=name, language=language, options=options, on_event=report)
            result = await self._ended((uri, theorem), framework, asked, RunResult(name, Verdict.OUT_OF_BUDGET))
            advice = _advice(framework, result)
        if self.workspace.get_text_document(uri).source == text:
            self._shown.setdefault(uri, {})[theorem] = _shown(document, theorem, result, advice)
            self._publish(uri)
        about = {"reason": result.reason, "run_id": result.run_id, "trust_level": result.trust_level}
        return {"verdict": str(result.verdict), **about}

    async def _ended(
        self,
        key: tuple[str, str],
        framework: GoedelsPoetryFramework,
        asked: Coroutine[Any, Any, Answered],
        stopped: RunResult,
    ) -> RunResult:
        """The result of a run that is under way until then; ``stopped`` where it had to be ended."""
        work = asyncio.create_task(asked)
        self._proving[key] = framework, work
        self._refresh()
        try:
            return (await asyncio.shield(work)).result
        except asyncio.CancelledError:
            if work.cancelled():
                return replace(stopped, reason=STOPPED)
            work.cancel()  # it is the request that was cancelled
            await asyncio.wait([work])
            raise
        except (GoedelsPoetryError, OSError) as problem:
            return replace(stopped, verdict=Verdict.UNKNOWN, reason=str(problem))
        finally:
            del self._proving[key]

    def stop(self, uri: str, theorem: str) -> None:
        """Have a proof under way stop at its next step, or be ended after `GRACE`."""
        if (uri, theorem) in self._proving:
            framework, work = self._proving[uri, theorem]
            framework.interrupt(STOPPED)
            asyncio.get_running_loop().call_later(GRACE, work.cancel)

    @contextlib.asynccontextmanager
    async def _progress(self, title: str, key: tuple[str, str]) -> Any:
        """Inside, the client shows that something goes on, and can cancel it, where it knows how to."""
        window = self.client_capabilities.window
        if window is None or not window.work_done_progress:
            yield lambda event: None
            return
        token, progress, loop = str(uuid4()), self.work_done_progress, asyncio.get_running_loop()
        await progress.create_async(token)
        cancelled = progress.tokens[token]
        cancelled.add_done_callback(lambda _: loop.call_soon_threadsafe(self.stop, *key))
        progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))

        def report(event: Event) -> None:
            progress.report(token, types.WorkDoneProgressReport(message=event.text))

        try:
            yield report
        finally:
            progress.tokens.pop(token, None)
            progress.end(token, types.WorkDoneProgressEnd())

    async def close(self) -> None:
        """End everything that was started."""
        under_way = [*self._reading.values(), *(work for _, work in self._proving.values())]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        for reader in self._readers.values():
            await reader.aclose()

    # -- what is shown -----------------------------------------------------------------------------------------
    def lenses(self, uri: str) -> Iterator[types.CodeLens]:
        """Above each theorem its verdict, and what proves, refutes or stops."""
        document = self.workspace.get_text_document(uri)
        for place in places(document.source, language_of(document)):
            at = _range(document, place)
            known = self._shown.get(uri, {}).get(place.name)
            if (uri, place.name) in self._asked:
                yield types.CodeLens(at, types.Command("stop", STOP, arguments=[uri, place.name]))
                continue
            title = f"{known.title}, again" if known is not None else "prove or refute"
            yield types.CodeLens(at, types.Command(title, PROVE, arguments=[uri, place.name]))

    def fixes(self, uri: str, lines: types.Range) -> Iterator[types.CodeAction]:
        """Edits for theorems of which something is shown, or that they would change, in these lines."""
        for known in self._shown.get(uri, {}).values():
            ranges = [each.range for each in known.diagnostics] + [edit.range for _, edit in known.fixes]
            if any(r.start.line <= lines.end.line and lines.start.line <= r.end.line for r in ranges):
                for title, edit in known.fixes:
                    change = types.WorkspaceEdit(changes={uri: [edit]})
                    yield types.CodeAction(title, types.CodeActionKind.QuickFix, list(known.diagnostics), edit=change)


def language_of(document: TextDocument) -> str:
    """The proof language of a document, by its suffix; "" for others."""
    try:
        return languages.for_file(to_fs_path(document.uri) or document.uri)
    except UnknownLanguage:
        return ""


def _has_lean(settings: Settings) -> bool:
    """Whether a Lean is at hand: none is fetched because somebody types."""
    from goedels_poetry.lean.runtime.install import is_installed  # only where there is Lean
    from goedels_poetry.lean.runtime.opening import kind_in_use

    return kind_in_use(settings.lean) == "native" or is_installed()


def _range(document: TextDocument, place: Place) -> types.Range:
    """From a place to the end of its word, in the client's units."""
    lines = document.lines
    line = min(max(place.line - 1, 0), max(len(lines) - 1, 0))
    text = lines[line].rstrip("\r\n") if lines else ""
    start = min(max(place.column - 1, 0), len(text))
    end = next((at for at in range(start + 1, len(text)) if text[at] in " \t()[]{}"), len(text))
    ours = ServerTextRange(ServerTextPosition(line, start), ServerTextPosition(line, max(end, start)))
    return document.range_to_client_units(ours)


def _diagnostic(
    document: TextDocument, place: Place, text: str, severity: types.DiagnosticSeverity, code: str
) -> types.Diagnostic:
    return types.Diagnostic(_range(document, place), text, severity, code=code, source=SOURCE)


def _shown(document: TextDocument, theorem: str, result: RunResult, advice: Sequence[str]) -> Shown:
    """A result as it is shown where its theorem stands."""
    language, verdict = language_of(document), result.verdict
    known = {place.name: place for place in places(document.source, language)}
    at = known.get(theorem) or Place(theorem, 1, 1)
    found = result.location or {}
    place = Place(theorem, found["line"], found.get("column") or 1) if found.get("line") else at
    word = result.verdict_text.replace("_", " ") + (f" ({result.trust_level})" if result.trust_level else "")
    lines = [": ".join(filter(None, (word, result.reason)))]
    lines += [f"  {line}" for line in counterexample_lines(result.counterexample)] if result.counterexample else []
    lines += [f"  {premise}" for premise in result.core or ()] if verdict is Verdict.INCONSISTENT else []
    lines += [f"  would help: {text}" for text in advice]
    fixes = [*_proof_edits(document, result), *_lemma_edits(document, at, language, advice)]
    diagnostics = [_diagnostic(document, place, "\n".join(lines), SEVERITY[verdict], str(verdict))]
    diagnostics += _unneeded(document, language, theorem, result)
    return Shown(word, tuple(diagnostics), tuple(fixes))


def _advice(framework: GoedelsPoetryFramework, result: RunResult) -> tuple[str, ...]:
    """What would help an open theorem."""
    if not result.run_id or result.verdict not in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET):
        return ()
    with contextlib.suppress(GoedelsPoetryError), framework.open_store(result.run_id) as store:
        return explain(store, store.nodes()[0]).advice
    return ()


def _proof_edits(document: TextDocument, result: RunResult) -> Iterator[tuple[str, types.TextEdit]]:
    """The proof that a certificate holds, in the place of the hole."""
    if result.language == "lean" and result.verdict is Verdict.PROVED and result.certificate is not None:
        with contextlib.suppress(Unfillable):
            text = document.source
            change = difference(text, filled(text, [result.certificate]).raw)
            yield "Try this: put the proof here", _edit(document, change)


def _lemma_edits(
    document: TextDocument, place: Place, language: str, advice: Sequence[str]
) -> Iterator[tuple[str, types.TextEdit]]:
    """Lemmas from which an open goal of SMT-LIB follows, stated before it."""
    for text in advice if language == "smt" else ():
        if text.startswith(HELPFUL_LEMMA):
            lemma = text.removeprefix(HELPFUL_LEMMA)
            at = sum(map(len, document.lines[: place.line - 1])) + place.column - 1
            yield f"Try this: state the lemma {lemma}", _edit(document, Edit(at, at, f"{lemma}\n"))


def _edit(document: TextDocument, edit: Edit) -> types.TextEdit:
    def position(offset: int) -> ServerTextPosition:
        before = document.source[:offset]
        return ServerTextPosition(before.count("\n"), offset - (before.rfind("\n") + 1))

    ours = ServerTextRange(position(edit.start), position(edit.end))
    return types.TextEdit(document.range_to_client_units(ours), edit.text)


def _unneeded(document: TextDocument, language: str, theorem: str, result: RunResult) -> Iterator[types.Diagnostic]:
    """Premises of SMT-LIB that a proof does without, where it is told which ones it needs."""
    if language != "smt" or result.verdict is not Verdict.PROVED or result.core is None:
        return
    from goedels_poetry.smt.notation.goals import excerpts  # only where there is SMT-LIB
    from goedels_poetry.smt.notation.text import parse_problem

    texts = dict(excerpts(document.source))
    needed = {premise.partition(" ")[0].rstrip(":") for premise in result.core}
    for premise in parse_problem(texts.get(theorem, document.source)).premises:
        if premise.name not in needed:
            column = len(document.lines[premise.line - 1]) - len(document.lines[premise.line - 1].lstrip()) + 1
            text, hint = f"the proof of {theorem} does not need this premise", types.DiagnosticSeverity.Hint
            found = _diagnostic(document, Place("", premise.line, column), text, hint, "unneeded")
            found.tags = [types.DiagnosticTag.Unnecessary]
            yield found


def make_server(settings: Settings) -> Editor:
    """The server with its handlers; `Editor.start_io` serves on the standard streams."""
    server = Editor(settings)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Editor, params: types.DidOpenTextDocumentParams) -> None:
        ls.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: Editor, params: types.DidChangeTextDocumentParams) -> None:
        ls.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Editor, params: types.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(ls: Editor, params: types.CodeLensParams) -> list[types.CodeLens]:
        return list(ls.lenses(params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def actions(ls: Editor, params: types.CodeActionParams) -> list[types.CodeAction]:
        return list(ls.fixes(params.text_document.uri, params.range))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(ls: Editor, params: types.HoverParams) -> types.Hover | None:
        document = ls.workspace.get_text_document(params.text_document.uri)
        text = hover(document.source, language_of(document), document.offset_at_position(params.position))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text)) if text else None

    @server.command(PROVE)
    async def prove(ls: Editor, uri: str, theorem: str) -> dict[str, Any]:
        return await ls.prove(uri, theorem)

    @server.command(STOP)
    def stop(ls: Editor, uri: str, theorem: str) -> None:
        ls.stop(uri, theorem)

    @server.feature(types.SHUTDOWN)
    async def shutdown(ls: Editor, params: None) -> None:
        await ls.close()

    return server


def hover(text: str, language: str, offset: int) -> str:
    """Markdown about the word at an offset (in code points); "" where nothing is known of it."""
    find = _OF_LANGUAGES.get(language)
    return find(text, offset) if find is not None else ""


def _of_smt(text: str, offset: int) -> str:
    """A bound variable by the binder around it, else what declares the name."""
    try:
        commands = read(Source(decode(text)))
    except InvalidText:
        return ""
    around: list[Group] = []
    inside: list[SExpr] = commands
    while (group := next((g for g in inside if isinstance(g, Group) and g.offset <= offset < g.end), None)) is not None:
        around.append(group)
        inside = group.items
    atom = next((a for a in inside if isinstance(a, Atom) and a.offset <= offset <= a.offset + len(a.text)), None)
    if atom is None:
        return ""
    for group in reversed(around):
        for pair in _bound(group):
            if isinstance(pair, Group) and len(pair.items) == 2 and is_word(pair.items[0], atom.text):
                sign = "=" if is_word(group.items[0], "let") else ":"
                return f"```smt2\n{atom.text} {sign} {_written(text, pair.items[1])}\n```"
    for command in commands:
        if isinstance(command, Group) and len(command.items) > 1 and _declares(command, atom.text):
            return f"```smt2\n{text[command.offset : command.end]}\n```"
    return ""


def _bound(group: Group) -> list[SExpr]:
    """The pairs of a binder: variables with sorts or, of ``let``, with terms."""
    head = group.items[0] if group.items else None
    place = _BINDERS.get(head.text) if isinstance(head, Atom) else None
    bound = group.items[place] if place is not None and place < len(group.items) else None
    return bound.items if isinstance(bound, Group) else []


_BINDERS = {"forall": 1, "exists": 1, "lambda": 1, "let": 1, "define-fun": 2, "define-fun-rec": 2}


def _declares(command: Group, name: str) -> bool:
    """Whether a declaration, a definition, or a datatype with that constructor or selector."""
    head = command.items[0]
    if not isinstance(head, Atom) or not head.text.startswith(("declare-", "define-")):
        return False
    if is_word(command.items[1], name):
        return True
    nested = "datatype" in head.text or head.text == "define-funs-rec"
    todo = [part for part in command.items[1:] if isinstance(part, Group)] if nested else []
    while todo:
        group = todo.pop()
        if group.items and is_word(group.items[0], name):
            return True
        todo += [part for part in group.items if isinstance(part, Group)]
    return False


def _written(text: str, expr: SExpr) -> str:
    return " ".join(text[expr.offset : expr.end].split()) if isinstance(expr, Group) else expr.text


def _of_python(text: str, offset: int) -> str:
    """A function with its contract, a parameter with its annotation."""
    from goedels_poetry.python.translate.contracts import PythonFault  # only where there is Python
    from goedels_poetry.python.translate.program import read_program

    try:
        program = read_program(text)
    except PythonFault:
        return ""
    word, line = _word(text, offset), text.count("\n", 0, offset) + 1
    for function in program.functions.values():
        first = min([function.line, *(decorator.lineno for decorator in function.node.decorator_list)])
        if first <= line <= (function.node.end_lineno or first):
            for parameter in function.parameters:
                if parameter.name == word and parameter.annotation:
                    return f"```python\n{word}: {parameter.annotation}\n```"
    if word not in program.functions:
        return ""
    function = program.functions[word]
    header = ast.unparse(ast.FunctionDef(word, function.node.args, [ast.Pass()], [], function.node.returns, lineno=1))
    contract = function.contract
    said = [f"requires {c.text}" for c in contract.requires] + [f"ensures {c.text}" for c in contract.ensures]
    said += [f"raises {r.exception}" + (f" when {r.when.text}" if r.when else "") for r in contract.raises]
    return "\n".join([f"```python\n{header.splitlines()[0]}", *(f"    # {line}" for line in said), "```"])


def _of_lean(text: str, offset: int) -> str:
    """The statement of a declaration of this file."""
    from goedels_poetry.lean.runtime.tokens import tokenize  # only where there is Lean

    word, tokens = _word(text, offset), list(tokenize(text))
    for at, (token, following) in enumerate(pairwise(tokens)):
        if token.text in _LEAN and following.text == word:
            end = next((a.start for a, b in pairwise(tokens[at:]) if _ends(a.text, b.text)), len(text))
            return f"```lean\n{text[token.start : end].strip()}\n```"
    return ""


def _ends(token: str, following: str) -> bool:
    return token in ("where", "|") or (token, following) == (":", "=")


_LEAN = frozenset({"theorem", "lemma", "def", "abbrev", "structure", "inductive", "axiom", "opaque", "class"})
_LETTERS = "_'.!?"


def _word(text: str, offset: int) -> str:
    def letters(step: int, at: int) -> Iterator[int]:
        while 0 <= at < len(text) and (text[at].isalnum() or text[at] in _LETTERS):
            yield at
            at += step

    return text[min([offset, *letters(-1, offset - 1)]) : max([offset - 1, *letters(1, offset)]) + 1]


_OF_LANGUAGES: dict[str, Callable[[str, int], str]] = {"smt": _of_smt, "python": _of_python, "lean": _of_lean}
