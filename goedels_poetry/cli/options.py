"""Options that commands share, one class a group, and how a class becomes a command.

A request is a frozen dataclass: its fields are arguments and options, its docstring is the help. So an option is
declared once, and what a command reads is what the line says.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import StrEnum
from inspect import Parameter, Signature, cleandoc, get_annotations
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from goedels_poetry.interfaces.formats import FormatName
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import seconds

_Value = TypeVar("_Value")

NAME = "goedels-poetry"
"""The program's."""
BUDGETS = {
    "--timeout": ("wall_seconds", "wall time"),
    "--max-steps": ("agent_steps", "agent steps"),
    "--max-nodes": ("nodes", "nodes"),
    "--max-depth": ("depth", "depth budget"),
    "--max-attempts": ("attempts_per_node", "attempts budget"),
    "--max-solver-seconds": ("solver_seconds", "solver time"),
    "--budget": ("resource_units", "resource units"),
    "--max-model-calls": ("model_calls", "model calls"),
    "--max-model-tokens": ("model_tokens", "model tokens"),
    "--max-money": ("money", "money for models"),
}
"""By flag: the budget, and how a result says that it ran out."""
_MODEL_BUDGETS = ("--timeout", "--max-model-calls", "--max-model-tokens", "--max-money")


PANELS: Mapping[str, tuple[str, ...]] = {
    "Models": ("model", "base_url", "record", "replay", "symbolic_queries", "model_first", "no_judge", "post"),
    "Budgets": (
        *("timeout", "total", "attempts", "verify_timeout", "optimize_timeout", "test_seconds", "lean_timeout"),
        *(flag.removeprefix("--").replace("-", "_") for flag in BUDGETS),
    ),
    "Runs": ("fresh", "resume", "seed", "no_bank", "jobs", "cluster", "max_concurrency", "since"),
    "Results": ("form", "as_json", "out", "save", "force", "proof", "require", "quiet", "verbose", "lean"),
    "Claims in words": ("informal", "no_round_trip"),
    "Filling Lean files": ("diff", "write"),
    "Policies": ("policy", "formalise", "review", "reviewed_by"),
}
"""Groups of options in the help of a command, by the names of the fields; the other options come first."""


class BackendName(StrEnum):
    """The languages of logic programs."""

    SMT2 = "smt2"
    JSON = "json"


class SemanticsName(StrEnum):
    """How a goal is read."""

    ENTAILMENT = "entailment"
    SATISFIABILITY = "satisfiability"


class WorldName(StrEnum):
    """What is held of what does not follow."""

    OPEN = "open"
    CLOSED = "closed"


class Required(StrEnum):
    """The least that counts as success."""

    PROVED = "proved"
    TESTED = "tested"


# -- kinds of options -------------------------------------------------------------------------------------------------


def option(help: str, *names: str, default: Any = None, **more: Any) -> Any:
    """A field that is an option, named after itself where no ``names`` are given. ``more``: as of `typer.Option`."""
    return _field(default, typer.Option(*names, help=help, **more) if names else typer.Option(help=help, **more))


def flag(help: str, *names: str) -> Any:
    """An option that is set or not."""
    return option(help, *names, default=False)


def many(help: str, *names: str, **more: Any) -> Any:
    """An option that may be given several times."""
    return option(help, *names, default=(), **more)


def argument(help: str, *, default: Any = None, **more: Any) -> Any:
    """A field that is an argument; with the default ``...`` it has to be given. ``more``: as of `typer.Argument`."""
    return _field(default, typer.Argument(help=help, **more))


def _field(default: Any, info: Any) -> Any:
    return field(metadata={"info": info}) if default is ... else field(default=default, metadata={"info": info})


def duration(help: str, *names: str, least: float = 0) -> Any:
    """An option in seconds: plain seconds, or units as in ``1h30m``; less than ``least`` seconds is refused."""

    def read(text: str) -> float:
        try:
            value = seconds(text)
        except ValueError as problem:
            raise typer.BadParameter(str(problem)) from None
        if value < least:
            raise typer.BadParameter(f"{text!r} is too short: at least {least:g} s")
        return value

    return option(help, *names, parser=read, metavar="TIME")


def at_once(help: str, *, default: int | None = None) -> Any:
    """How many at once."""
    return option(help, "--jobs", "-j", default=default, min=1)


def languages(incomplete: str) -> list[str]:
    """Names of proof languages that begin so, for a shell that completes a word."""
    from goedels_poetry.languages import names

    return [name for name in names() if name.startswith(incomplete)]


def runs(incomplete: str) -> list[str]:
    """Ids of the data directory's runs that begin so, for a shell that completes a word."""
    from goedels_poetry.settings.declared import configuration_file

    folder = configuration_file(os.environ).with_name("runs")
    return sorted(path.parent.name for path in folder.glob(f"{glob.escape(incomplete)}*/run.json"))


def run_argument(default: Any = ...) -> Any:
    """Which run."""
    return argument(
        "A run's id, an unambiguous beginning of it, or last.", default=default, metavar="RUN", autocompletion=runs
    )


def json_flag(help: str = "Print JSON, one object a line.") -> Any:
    """Whether programs read it."""
    return flag(help, "--json")


def out_option(what: str) -> Any:
    """Where what a command leaves goes: a folder, in every command."""
    return option(f"Folder for {what}.", metavar="DIR")


def require_option() -> Any:
    """The least that counts as success."""
    return option("The least that counts as success; what was tested and is disputed counts as less than tested.")


def assume_flag() -> Any:
    """Whether definitions are taken on trust."""
    return flag("Accept recursive definitions that cannot be shown well-founded; the result says so.")


def round_trip_flag() -> Any:
    """Whether one test of a formal statement is left out."""
    return flag("Do not have the formal statement put back into words and compared with the claim.")


def judge_flag() -> Any:
    """Whether one test of a program is left out."""
    return flag("Do not have a model compare the program with the question.")


def post_option() -> Any:
    """Post-processors."""
    help = "Ask more than once: self-refine, self-consistency, decomposed, least-to-most, best-guess; in their order."
    return many(help, metavar="NAME[=N]")


def cluster_option() -> Any:
    """Where the work is done."""
    help = "Work on a Ray cluster: local (this machine alone), auto (the one it is part of), or HOST:PORT of that."
    return option(help, metavar="WHERE")


def units_option() -> Any:
    """A limit that does not depend on the machine."""
    return option("Budget: resource units, steps of solvers: the same verdict on a busy machine.", metavar="N", min=1)


# -- groups -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command line."""

    def __post_init__(self) -> None:
        """Raise `typer.BadParameter` for options that do not go together."""


@dataclass(frozen=True, kw_only=True)
class Reported(Command):
    """Verdicts that a person, a program or a build server reads."""

    form: FormatName = option("How results are printed.", "--format", default=FormatName.TEXT)
    as_json: bool = flag("The same as --format json: one object a line.", "--json")
    require: Required | None = require_option()
    since: str | None = option("Only what may have changed since this revision of Git.", metavar="REV")
    total: float | None = duration("For the whole call; what is not decided by then is out of budget.", "--total")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.as_json and self.form not in (FormatName.TEXT, FormatName.JSON):
            raise typer.BadParameter("--json and another --format exclude each other")
        object.__setattr__(self, "form", FormatName.JSON if self.as_json else self.form)
        object.__setattr__(self, "as_json", self.form is not FormatName.TEXT)  # whether a program reads it

    @property
    def required(self) -> Verdict | None:
        """The least that is asked for, see `exit_code_of`."""
        return Verdict(self.require) if self.require else None


@dataclass(frozen=True, kw_only=True)
class Models(Command):
    """Which model is asked."""

    model: str | None = option("Language model of all roles; without one none is asked.")
    base_url: str | None = option("Where the model is served: any OpenAI-compatible address, ending in /v1.")


@dataclass(frozen=True, kw_only=True)
class Search(Models):
    """What commands that search, and may ask a model, have in common."""

    as_json: bool = json_flag()
    timeout: float | None = duration("For each input, over all resumes; 0: no limit. [default: 300]")
    seed: int | None = option("Same input, same seed: same tree, same questions.")
    fresh: bool = flag("Ignore earlier runs of this input.")
    max_model_calls: int | None = option("Budget: requests to language models.", min=0)
    max_model_tokens: int | None = option("Budget: tokens in and out of models.", min=0)
    max_money: float | None = option("Budget: US dollars for models.", min=0)
    record: Path | None = option("Write every request to a model and its reply.", metavar="FILE")
    replay: Path | None = option("Answer from such a file, without any network.", metavar="FILE")
    quiet: bool = flag("No progress on standard error.", "--quiet", "-q")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.record and self.replay:
            raise typer.BadParameter("--record and --replay exclude each other")

    @property
    def by_script(self) -> bool:
        """Whether replies are recorded or replayed: then nothing of other runs may come in."""
        return bool(self.record or self.replay)

    @property
    def budgets(self) -> dict[str, float]:
        """Budgets of each input by name, those given; ``wall_seconds`` 0 means no limit."""
        return self.limits_of(_MODEL_BUDGETS)

    def limits_of(self, flags: tuple[str, ...]) -> dict[str, float]:
        """The budgets of these flags, those given."""
        values = {BUDGETS[flag][0]: getattr(self, _field_of(flag)) for flag in flags}
        return given(**values)


def given(**values: _Value | None) -> dict[str, _Value]:
    """Those that were given; None means not given."""
    return {name: value for name, value in values.items() if value is not None}


# -- from a class to a command ----------------------------------------------------------------------------------------


def _field_of(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


class _Helped:
    """Help in panels. Errors stay plain lines."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print it; brackets of our texts are no markup, and its lines end where the terminal's do."""
        from rich.markup import escape
        from typer.rich_utils import rich_format_help

        obj: Any = copy(self)  # commands are kept, and their texts stay as they are
        obj.params = [copy(each) for each in obj.params]
        below = {name: copy(each) for name, each in getattr(obj, "commands", {}).items()}
        if below:
            obj.commands = below
        for each in (obj, *obj.get_params(ctx), *below.values()):
            parts = cleandoc(each.help or "").split("\n\n")
            each.help = "\n\n".join(escape(part if "\b" in part else " ".join(part.split())) for part in parts)
            if getattr(each, "is_flag", False):
                each.metavar = ""
        rich_format_help(obj=obj, ctx=ctx, markup_mode="rich")


class HelpedGroup(_Helped, TyperGroup):
    """A group of commands."""


class _HelpedCommand(_Helped, TyperCommand):
    pass


ASKED: Mapping[str, Any] = {"help_option_names": ["-h", "--help"]}
"""Settings of every command."""


def command_of(name: str, work: Callable[[Any], int], **more: Any) -> Any:
    """The command that calls ``work`` with a request: its options are the fields of what ``work`` takes."""
    alone = _typer(name)
    alone.command(name, cls=_HelpedCommand, context_settings=dict(ASKED), **more)(_function(work))
    return get_command(alone)


def group_of(
    name: str, help: str, work: Callable[[Any], int] | None, below: Mapping[str, Callable[[Any], int]], **more: Any
) -> Any:
    """A group of commands; ``work``: what the group does by itself."""
    group = _typer(name, no_args_is_help=work is None, cls=HelpedGroup, context_settings=dict(ASKED))
    group.callback(help=help or None, invoke_without_command=work is not None, **more)(
        _function(work) if work else _nothing
    )
    for inner, each in below.items():
        group.command(inner, cls=_HelpedCommand, context_settings=dict(ASKED))(_function(each))
    return get_command(group)


def _typer(name: str, **more: Any) -> typer.Typer:
    return typer.Typer(name=name, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, **more)


def _nothing() -> None:
    return None


def _function(work: Callable[[Any], int]) -> Any:
    """What Typer calls with the options: a request's own before those that it shares."""
    kind = get_type_hints(work)["request"]

    def call(ctx: typer.Context, **said: Any) -> None:
        if ctx.invoked_subcommand is None:
            raise typer.Exit(work(kind(**{option: value for option, value in said.items() if value is not None})))

    hints = get_type_hints(kind)
    own = [*get_annotations(kind), *hints]
    parameters = [Parameter("ctx", Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    panels = PANELS if issubclass(kind, (Reported, Search)) else {}
    parameters += [_parameter(f, hints[f.name], panels) for f in sorted(fields(kind), key=lambda f: own.index(f.name))]
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__doc__ = kind.__doc__
    return call


def _parameter(field: Field[Any], hint: Any, panels: Mapping[str, tuple[str, ...]]) -> Parameter:
    """A flag is named after its field, and has no opposite."""
    default = Parameter.empty if field.default is MISSING else None if field.default == () else field.default
    info = field.metadata["info"]
    if get_origin(hint) is Sequence:
        hint = list[get_args(hint)[0]]  # type: ignore[misc]
    if hint is bool and not isinstance(info.default, str):
        info = typer.Option(f"--{field.name.replace('_', '-')}", help=info.help, rich_help_panel=info.rich_help_panel)
    if info.rich_help_panel is None:
        info.rich_help_panel = next((panel for panel, names in panels.items() if field.name in names), None)
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[hint, info])
