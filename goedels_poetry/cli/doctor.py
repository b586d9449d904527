"""The command `doctor`: what is installed, whether it works here, and whether the models can be reached."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from rich.text import Text

from goedels_poetry import languages
from goedels_poetry.checker import plugins as checkers
from goedels_poetry.cli.configure import BadSettings, settings
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.errors import one_line as words_of
from goedels_poetry.lean.runtime.driven import LeanUnavailable
from goedels_poetry.lean.runtime.install import (
    AGAIN,
    LEAN_VERSION,
    cache_folder,
    damage,
    is_installed,
    misnamed,
    node_program,
)
from goedels_poetry.lean.runtime.opening import kind_in_use, open_lean
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.models.endpoint import Endpoint, key_of, public_address
from goedels_poetry.models.http import fault_of, http_client
from goedels_poetry.models.prompts import PromptError, Prompts
from goedels_poetry.sandbox import isolation
from goedels_poetry.search.agents.registry import load_registry
from goedels_poetry.settings.declared import LeanSettings, Settings
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.versions import faults_here, published_faults, solver_versions
from goedels_poetry.solvers.z3_process import Z3Process
from goedels_poetry.trace.terminal import console, one_line, say
from goedels_poetry.version import __version__


@dataclass(frozen=True)
class Finding:
    """One line of the examination. ``ok`` False: the program cannot do its work like this."""

    what: str
    found: str
    ok: bool = True
    installed: bool = True
    """False: it is not there, and nothing that was asked for needs it."""


INSTALL = "goedels-poetry lean install"
NO_NODE = "not installed: "
TOOLCHAIN = "elan installs one, and the embedded Lean needs none"
_THEOREM = "theorem t (a b : Nat) : a + b = b + a := by omega"
_NODE_SECONDS = 20.0


def look_at_lean(settings: LeanSettings, *, call: bool) -> list[Finding]:
    """One line a kind, and one about the Lean that proofs would be checked with. Nothing is fetched."""
    try:
        kind = kind_in_use(settings)
    except OSError as problem:
        return [Finding("lean", str(problem), ok=False)]
    address = settings.kimina_url
    kimina = Finding("lean kimina", address or "no address configured", installed=bool(address))
    embedded = _embedded()
    found = [embedded, _native(), kimina]
    if kind == "embedded" and (not embedded.ok or embedded.found.startswith(NO_NODE)):
        return [*found, Finding("lean in use", "none: the embedded one cannot run", embedded.ok, installed=False)]
    if call and (kind != "embedded" or is_installed()):
        return [*found, asyncio.run(_answer(settings))]
    if kind == "embedded" and not is_installed():
        none = one_line(misnamed()) or f"none yet; the first use fetches it, or {INSTALL}"
        return [*found, Finding("lean in use", none, installed=False)]
    return [*found, Finding("lean in use", kind)]


def _embedded() -> Finding:
    folder = cache_folder()
    if wrong := damage(folder):
        return Finding("lean embedded", f"damaged, run {AGAIN}: {wrong}", ok=False)
    try:
        node = subprocess.run(
            [str(node_program()), "--version"], capture_output=True, text=True, timeout=_NODE_SECONDS, check=True
        )
    except LeanUnavailable as missing:
        return Finding("lean embedded", f"{NO_NODE}{missing}", installed=False)
    except (OSError, subprocess.SubprocessError) as problem:
        return Finding("lean embedded", f"Node does not run: {problem}", ok=False)
    where = f"Node {node.stdout.strip()}, {folder}"
    if not is_installed(folder):
        return Finding("lean embedded", f"not fetched yet: {INSTALL}, {where}", installed=False)
    return Finding("lean embedded", f"{LEAN_VERSION}, {where}")


def _native() -> Finding:
    programs = [name for name in ("lake", "lean") if shutil.which(name)]
    project = os.environ.get("LEAN_PROJECT_PATH")
    named = f", LEAN_PROJECT_PATH {project}" if project else ""
    if not programs:
        return Finding("lean native", f"not installed: no toolchain on the path{named}; {TOOLCHAIN}", installed=False)
    return Finding("lean native", f"{' and '.join(programs)} on the path{named}")


async def _answer(settings: LeanSettings) -> Finding:
    """One real check, from starting Lean to its verdict."""
    pool: LeanPool | None = None
    try:
        began = time.monotonic()
        pool = await asyncio.to_thread(open_lean, settings, 1)
        result = await pool.check(CheckRequest(_THEOREM))
        seconds = time.monotonic() - began
    except LeanUnavailable as problem:
        return Finding("lean in use", str(problem), ok=False)
    finally:
        if pool is not None:
            await pool.aclose()
    what = f"{pool.kind} {pool.version}"
    if not result.ok:
        why = result.error or result.errors[0].text
        return Finding("lean in use", f"{what} does not work: {result.status} {why}", ok=False)
    return Finding("lean in use", f"{what}, a small theorem checked {seconds:.1f} s after the start")


_TRIVIAL = "(declare-const x Int)\n(assert (and (> x 0) (< x 1)))\n"
_UNTRIED = "" if platform.system() == "Linux" else " (this program is tried on Linux only)"
_LIBRARIES = ("langgraph", "langgraph-checkpoint-sqlite", "langchain-core", "langchain-openai", "pydantic")


def diagnose(*, as_json: bool, call: bool = False, model: str | None = None, base_url: str | None = None) -> int:
    """Print what was found; exit code 1 when something that proofs need does not work."""
    findings = [
        Finding("goedels-poetry", __version__),
        Finding("python", f"{platform.python_version()} ({sys.executable})"),
        Finding("system", f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors{_UNTRIED}"),
        *(Finding(name, version(name)) for name in _LIBRARIES),
        *asyncio.run(_solvers()),
        _data_directory(),
        Finding("languages", ", ".join(languages.names())),
        Finding("sandbox", isolation().text),
        *_lean(call),
        *_plugins(),
        *_models(call, model, base_url),
    ]
    if as_json:
        for finding in findings:
            sys.stdout.write(json.dumps(asdict(finding)) + "\n")
    else:
        out = console(sys.stdout)
        for finding in findings:
            say(out, _mark(finding) + Text(f"{finding.what}: {one_line(finding.found)}"))
    return 0 if all(finding.ok for finding in findings) else 1


def _mark(finding: Finding) -> Text:
    if not finding.ok:
        return Text("FAIL ", style="bold red")
    return Text("ok   ", style="green") if finding.installed else Text("--   ", style="yellow")


async def _solvers() -> list[Finding]:
    """Each solver decides a small question in a process of its own."""
    versions = solver_versions()
    findings = []
    for solver in (Z3Process(), Cvc5Process()):
        with solver:
            answer = await asyncio.to_thread(solver.ask, _TRIVIAL, Limits(seconds=20.0))
        works = answer.status == "unsat"
        state = "answers" if works else f"does not work: {answer.status} {answer.reason}"
        findings.append(Finding(solver.name, f"{versions.get(solver.name, 'not installed')}, {state}", works))
    return [*findings, *_faults()]


def _faults() -> list[Finding]:
    """The published faults of the solvers, and which of them the versions installed here have."""
    here, known = faults_here(), published_faults()
    wrong = [Finding("solver fault", f"wrong here: {fault}", ok=False) for fault in here]
    others = [Finding("solver fault", f"not here: {fault}") for fault in known if fault not in here]
    return [*wrong, *others]


def _data_directory() -> Finding:
    try:
        home = settings().data_dir
    except BadSettings as problem:
        return Finding("settings", str(problem), ok=False)
    existing = next(folder for folder in (home, *home.absolute().parents) if folder.exists())
    writable = existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
    runs = sum(1 for _ in Path(home, "runs").glob("*/run.json"))
    return Finding("data directory", f"{home}, {runs} runs" if writable else f"{home} cannot be written", writable)


def _plugins() -> list[Finding]:
    registry = load_registry()
    names = sorted(
        {spec.plugin for spec in registry.agents.values() if spec.plugin} | {s.plugin for s in registry.strategies}
    )
    found = [Finding("plug-ins", ", ".join(names) or "none")]
    return [
        *found,
        *(Finding("plug-in", notice) for notice in registry.takeovers),
        *(Finding("plug-in left out", problem) for problem in registry.problems),
        *(Finding("language left out", problem) for problem in languages.problems()),
        *_checkers(),
    ]


def _checkers() -> list[Finding]:
    """Who decides about which language; a language without a checker is never more than ``unknown``."""
    plugins, problems = checkers.registered()
    named = [*checkers.BUILT_IN, *(f"{plugin.language} by {plugin.package}" for plugin in plugins.values())]
    nobody = [name for name in languages.names() if name not in checkers.BUILT_IN and name not in plugins]
    return [
        Finding("checkers", ", ".join(named)),
        *(Finding("no checker", f"{name}: nothing can be proved in it") for name in nobody),
        *(Finding("checker left out", problem) for problem in problems),
    ]


def _lean(call: bool) -> list[Finding]:

    try:
        return look_at_lean(settings().lean, call=call)
    except BadSettings:
        return []  # the line of the settings says it


def _models(call: bool, model: str | None, base_url: str | None) -> list[Finding]:
    """What each role would ask, and whether its server answers; a question only when ``call``."""
    try:
        settings()
    except BadSettings:
        return []
    try:
        in_force = settings(models={"model": model, "base_url": base_url})
        found = asyncio.run(look(in_force, call=call))
    except (BadSettings, GoedelsPoetryError) as problem:
        return [Finding("models", str(problem), ok=False)]
    if not found:
        return [Finding("models", "none configured; the symbolic agents do the work")]
    return [Finding(seen.what, seen.words, seen.ok) for seen in found]


# What is configured and whether it can be reached; costs nothing unless a call is asked for

PATIENCE = 5.0
"""Seconds for a server to say that it is there."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that was looked at."""

    what: str
    words: str
    ok: bool = True


async def look(settings: Settings, *, call: bool) -> list[Seen]:
    """What each role uses, each server, the user's prompts; [] when no model is configured.

    Args:
        call: also ask one model, the prover's if there is one, for one word.

    Raises:
        RecordingError, PriceError: a file that the settings name cannot be used.
    """
    in_force = settings.models.model_copy(update={"record": None, "cache": False})
    quiet = settings.model_copy(update={"models": in_force, "prompts_dir": None})  # prompts are looked at one by one
    models = models_from(quiet)
    if models is None:
        return []
    try:
        seen = [Seen(f"model of {role}", _described(models, role)) for role in models.roles]
        distinct = {id(endpoint): endpoint for endpoint in models.endpoints.values()}.values()
        servers = {endpoint.server: endpoint for endpoint in distinct if endpoint.server}
        seen += await asyncio.gather(*(_reach(endpoint) for endpoint in servers.values()))
        if call:
            asked = models.endpoints.get("prover") or next(iter(distinct), None)
            seen += [await _ask(asked)] if asked is not None else []
    finally:
        await models.aclose()
    return seen + _prompts(settings)


def _described(models: Models, role: str) -> str:
    facts = models.fingerprint[role]
    endpoint = models.endpoints.get(role)
    if endpoint is None:
        return f"{models.name(role)}, from a recording"
    price = models.prices.of(endpoint.name)
    cost = f"{price.input:g} in, {price.output:g} out (dollars a million tokens)" if price else "no price known"
    key = "with a key" if key_of(endpoint.settings) else "without a key"
    return f"{models.name(role)} at {facts['server']}, {key}, {cost}"


async def _reach(endpoint: Endpoint) -> Seen:
    """Whether the server answers at all: the list of models costs nothing."""
    what, key = f"server {public_address(endpoint.server)}", key_of(endpoint.settings)
    headers = {**({"authorization": f"Bearer {key}"} if key else {}), **endpoint.settings.extra_headers}
    http = http_client(10_000_000)
    try:
        async with asyncio.timeout(PATIENCE):
            response = await http.get(f"{endpoint.server}/models", headers=headers)
    except Exception as problem:  # noqa: BLE001  whatever it is: this is how it does not work
        return Seen(what, f"cannot be reached: {fault_of(problem, PATIENCE).reason}", ok=False)
    finally:
        await http.aclose()
    refused = response.status_code in (401, 403)
    return Seen(what, "the key is not accepted" if refused else "can be reached", ok=not refused)


async def _ask(endpoint: Endpoint) -> Seen:
    what, limit = f"call of {endpoint.name}", endpoint.settings.timeout_seconds
    try:
        async with asyncio.timeout(limit):
            message = await endpoint.send([("user", "Answer with the word yes.")], None, 16, None)
    except Exception as problem:  # noqa: BLE001  whatever it is: this is how it does not work
        return Seen(what, fault_of(problem, limit).reason, ok=False)
    return Seen(what, f"answers {str(message.content)[:40]!r}")


def _prompts(settings: Settings) -> list[Seen]:
    """The user's prompts: which ones replace ours, and whether they can be read."""
    if settings.prompts_dir is None:
        return []
    try:
        mine = Prompts(settings.prompts_dir)
        mine.check()
    except PromptError as problem:
        return [Seen("prompts", words_of(problem), ok=False)]
    ours, seen = Prompts(), []
    for file in sorted(settings.prompts_dir.expanduser().glob("*.md")):
        known = file.stem in ours.names()
        unknown = sorted(mine.get(file.stem).variables - ours.get(file.stem).variables) if known else []
        words = f"{file} replaces ours" if known else f"{file} replaces nothing: there is no prompt of that name"
        asks = f", but asks for {', '.join(unknown)}, which may not be given" if unknown else ""
        seen.append(Seen("prompt", words + asks, ok=known))
    return seen
