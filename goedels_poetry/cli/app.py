"""The program's commands: a table of functions, each of which loads what does the work.

The options of a command are the fields of what its function takes; only the command that the line names is built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any

import typer

from goedels_poetry.cli import requests, tools
from goedels_poetry.cli.options import ASKED, NAME, HelpedGroup, command_of, group_of

PROGRAM = """Proves theorems by recursive decomposition and backtracking, and re-checks every proof.

A theorem is a file: SMT-LIB 2 (.smt2), Lean 4 (.lean), Python functions with contracts (.py), or a JSON logic program
(.json). To begin: `goedels-poetry examples` writes some, `goedels-poetry prove theorems/smt/gauss_sum.smt2` proves one.
"""
MORE = "COMMAND -h has its options. Others: --version, --install-completion, --show-completion (bash, zsh, fish)."


def _prove(request: requests.Prove) -> int:
    from goedels_poetry.cli.prove import prove_all

    return prove_all(request)


def _formalize(request: requests.Formalize) -> int:
    from goedels_poetry.cli.formalize import formalize_all

    return formalize_all(request)


def _ask(request: requests.Ask) -> int:
    if request.program:
        from goedels_poetry.cli.ask import ask_programs

        return ask_programs(request, [*request.program, *request.inputs], request.jobs or os.cpu_count() or 1)
    from goedels_poetry.cli.ask import ask_question, work_on_policy

    return work_on_policy(request) if request.policy and not request.inputs else ask_question(request)


def _code(request: requests.Code) -> int:
    from goedels_poetry.cli.code import write_all

    return write_all(request)


def _change(request: requests.Change) -> int:
    from goedels_poetry.cli.change import change_file

    return change_file(request)


def _bench(request: requests.Bench) -> int:
    from goedels_poetry.cli.bench import bench

    return bench(request)


def _check(request: tools.Check) -> int:
    from goedels_poetry.cli.check import check_all

    return check_all(request)


def _export(request: tools.Export) -> int:
    from goedels_poetry.cli.export import export_one, for_comparator, for_kernels

    if request.to is tools.Target.COMPARATOR:
        return for_comparator(request.certificate, request.save)
    if request.to is tools.Target.NDJSON:
        return for_kernels(request.certificate, request.save, request.lean_timeout)
    return export_one(request.certificate, request.save, request.lean_timeout, as_json=request.as_json)


def _premises(request: tools.Premises) -> int:
    from goedels_poetry.cli.premises import look_up

    return look_up(request)


def _show(request: tools.Show) -> int:
    from goedels_poetry.cli.inspect import show_run

    return show_run(request.run_id, as_json=request.as_json, at=request.at)


def _trace(request: tools.Trace) -> int:
    from goedels_poetry.cli.inspect import trace

    return trace(request)


def _graph(request: tools.Graph) -> int:
    from goedels_poetry.cli.inspect import draw_machine

    return draw_machine(request.form.value, kind="question" if request.questions else request.kind)


def _serve(request: tools.Serve) -> int:
    from goedels_poetry.cli.serve import serve_runs

    return serve_runs(request)


def _lsp(request: tools.Lsp) -> int:
    from goedels_poetry.cli.serve import serve_editor

    return serve_editor(request)


def _mcp(request: tools.Mcp) -> int:
    from goedels_poetry.cli.serve import serve_agents

    return serve_agents(request)


def _examples(request: tools.Examples) -> int:
    from goedels_poetry.cli.examples import examples

    return examples(request.folder, listed=request.listed, show=request.show)


def _schema(request: tools.Schema) -> int:
    from goedels_poetry.cli.examples import schema

    return schema(request.name)


def _doctor(request: tools.Doctor) -> int:
    from goedels_poetry.cli.doctor import diagnose

    return diagnose(as_json=request.as_json, call=request.call, model=request.model, base_url=request.base_url)


def _runs(request: tools.Runs) -> int:
    from goedels_poetry.cli.runs import list_runs

    return list_runs(request)


def _repair(request: tools.Repair) -> int:
    from goedels_poetry.cli.runs import repair_run

    return repair_run(request.run_id, as_json=request.as_json)


def _lean_install(request: tools.LeanInstall) -> int:
    from goedels_poetry.cli.lean import install_lean

    return install_lean(again=request.again, file=request.file, as_json=request.as_json)


COMMANDS: Mapping[str, Callable[[Any], int]] = {
    "prove": _prove,
    "ask": _ask,
    "check": _check,
    "show": _show,
    "runs": _runs,
    "serve": _serve,
    "code": _code,
    "change": _change,
    "formalize": _formalize,
    "bench": _bench,
    "examples": _examples,
    "doctor": _doctor,
    "export": _export,
    "premises": _premises,
    "trace": _trace,
    "graph": _graph,
    "lsp": _lsp,
    "mcp": _mcp,
    "schema": _schema,
}
SUMMARIES: Mapping[str, str] = {
    "prove": "Prove or refute theorems; keep a certificate.",
    "ask": "Answer a question in plain words, or a logic program.",
    "check": "Check certificates or Lean files from nothing.",
    "show": "Show a run's proof tree and what would help.",
    "runs": "List, filter, repair and delete runs.",
    "serve": "Watch and start runs in the browser.",
    "code": "Write a Python function that passes given checks.",
    "change": "Verify a change to a file by what it does.",
    "formalize": "State claims in plain words formally.",
    "bench": "Measure theorems or data sets of questions.",
    "examples": "Write the examples of the documentation.",
    "doctor": "Say what is installed and whether it works.",
    "export": "Write a proof as a Lean file.",
    "premises": "List theorems that may help to prove another.",
    "trace": "Write a run's page, events, pictures; compare two.",
    "graph": "Draw the state machine.",
    "lsp": "Serve an editor (Language Server Protocol).",
    "mcp": "Serve agents (Model Context Protocol).",
    "schema": "Print a JSON schema.",
    "lean": "Install the embedded Lean.",
}
"""What each command is for, in a line; the first ones are what most people need."""
FIRST = 12


@cache
def _command(name: str) -> Any:
    if name not in SUMMARIES:
        return None
    later = list(SUMMARIES).index(name) >= FIRST
    about = {"short_help": SUMMARIES[name], "rich_help_panel": "More commands" if later else None}
    if name == "runs":
        return group_of(name, "", _runs, {"repair": _repair}, **about)
    if name == "lean":
        return group_of(name, "The embedded Lean.", None, {"install": _lean_install}, **about)
    return command_of(name, COMMANDS[name], **about)


class _Commands(HelpedGroup):
    """The table; the help of `prove` names every language that is installed."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The commands first."""
        options: list[Any] = self.get_params(ctx)
        for option in options:
            option.hidden = True
        super().format_help(ctx, formatter)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(SUMMARIES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = _command(cmd_name)
        if cmd_name == "prove":
            from goedels_poetry.languages import names

            language = next(option for option in command.params if option.name == "language")
            language.help = f"Proof language, when the file name does not tell: {', '.join(names())}."
        return command


app = typer.Typer(
    name=NAME,
    cls=_Commands,
    context_settings=dict(ASKED),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        from goedels_poetry.version import __version__

        typer.echo(f"{NAME} {__version__}")
        raise typer.Exit


@app.callback(help=PROGRAM, epilog=MORE)
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
