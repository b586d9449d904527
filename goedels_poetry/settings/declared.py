"""What can be set, validated; see `goedels_poetry.settings` for the order of its sources."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

# Names and places of settings, and defaults that others speak of

PREFIX = "GOEDELS_POETRY__"
"""How the names of all our variables of the environment begin."""
NEARLY = PREFIX[:-1]
"""How they begin where one underscore was typed instead of two; so do a few variables that are no settings."""
OTHERS = ("GOEDELS_POETRY_LEAN", "GOEDELS_POETRY_CONTRACTS")
"""Those."""
CONFIGURATION = "config.toml"
"""In the data directory."""
DEFAULT_HOME = Path("~/.goedels_poetry")
DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS = 16
"""Default of the setting of that name: how often one node may be sketched again after its first sketch."""


def configuration_file(environment: Mapping[str, str], home: Path | None = None) -> Path:
    """The file that is read: in ``home``, else in the data directory that the environment names."""
    return Path(home or environment.get(f"{PREFIX}HOME") or DEFAULT_HOME).expanduser() / CONFIGURATION


# Lengths of time as people write them

FORMS = "seconds, or numbers with units: 90, 2.5, 10s, 5m, 1h30m, 500ms"
"""What is accepted, for error messages."""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_PLAIN = re.compile(rf"\+?(?:{_NUMBER})(?:e[+-]?[0-9]+)?")
_PART = re.compile(rf"({_NUMBER})\s*(ms|s|m|h|d|w)\s*")
_LONGEST = 100
"""Characters; longer texts are no length of time that a person means."""


def seconds(text: str) -> float:
    """The seconds that a text says; units in any case, from long to short, none twice.

    Raises:
        ValueError: it says none, or they are negative or infinite; the message names the forms accepted.
    """
    said = text.strip().lower()
    total = (float(said) if _PLAIN.fullmatch(said) else _in_units(said)) if len(said) <= _LONGEST else None
    if total is None or not isfinite(total):
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        raise ValueError(f"{shown!r} is no length of time; write {FORMS}")
    return total


def _in_units(said: str) -> float | None:
    if not said or _PART.sub("", said):
        return None
    parts = [(float(number), _UNITS[unit]) for number, unit in _PART.findall(said)]
    units = [unit for _, unit in parts]
    if any(later >= earlier for earlier, later in pairwise(units)):
        return None
    return sum(number * unit for number, unit in parts)


BETWEEN = "__"
"""Between the names of a group and of a setting in it, in the environment."""


def _with_units(value: object) -> object:
    return seconds(value) if isinstance(value, str) else value


Seconds = Annotated[float, BeforeValidator(_with_units)]
"""A number, or a text as in ``"1h30m"``."""


def checked_address(value: str) -> str:
    """The value itself; raises ValueError when it is something else than the URL of an HTTP server."""
    if not is_address(value):
        raise ValueError(f"{value!r} is not an address: it begins with http:// or https:// and names a host")
    return value


def is_address(text: str) -> bool:
    """Whether a text is the URL of an HTTP server."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    plain = text.isprintable() and not any(character.isspace() for character in text)
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0


Address = Annotated[str, AfterValidator(checked_address)]
"""The URL of an HTTP server."""


class Budgets(BaseModel):
    """Finite limits of one run; all counters only go up. None means no limit of that kind.

    ``depth`` and ``attempts_per_node`` bound the search tree, the others bound what the whole run spends.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    wall_seconds: Seconds | None = Field(default=None, gt=0, description="seconds of running, over all resumes")
    agent_steps: int | None = Field(
        default=1_000_000, ge=0, description="committed agent steps; the default only guarantees an end"
    )
    solver_seconds: Seconds | None = Field(default=None, gt=0, description="seconds spent inside solvers")
    resource_units: int | None = Field(
        default=None, gt=0, description="steps of solvers and evaluator: the same verdict however busy the machine is"
    )
    nodes: int | None = Field(default=100_000, ge=1, description="nodes ever created, cut ones included")
    depth: int = Field(default=20, ge=0, description="deepest level; the root is level 0")
    attempts_per_node: int | None = Field(default=None, ge=1, description="proof attempts on one node, over all passes")
    model_calls: int | None = Field(
        default=None, ge=0, description="requests sent to language models, retries included"
    )
    model_tokens: int | None = Field(default=None, ge=0, description="tokens in and out of language models")
    money: float | None = Field(
        default=None, ge=0, description="cost of language models by the price table (US dollars)"
    )


class ModelSettings(BaseModel):
    """A chat model behind an OpenAI-compatible endpoint. What is not set for a role is as in ``default``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = Field(default=None, min_length=1, description="name of the model as its server knows it")
    base_url: Address | None = Field(
        default=None, description="e.g. http://localhost:8000/v1; else OPENAI_BASE_URL, OpenAI"
    )
    api_key: SecretStr | None = Field(default=None, description="else OPENAI_API_KEY; servers without keys need none")
    temperature: float | None = Field(default=None, ge=0, description="for every attempt, instead of the schedule's")
    max_tokens: int | None = Field(default=None, ge=1, description="of one reply; None: the server's limit")
    reasoning_effort: str | None = Field(default=None, description="e.g. low, medium, high, where the model knows it")
    context: int | None = Field(default=None, ge=1, description="tokens of prompt and reply that the model can hold")
    extra_body: dict[str, Any] = Field(default={}, description="added to the body of every request")
    extra_headers: dict[str, str] = Field(default={}, description="added to the headers of every request")
    retries: int = Field(default=2, ge=0, description="after 429, 5xx and lost connections; retry-after is honoured")
    requests_per_second: float | None = Field(default=None, gt=0, description="of all roles that share the model")
    timeout_seconds: Seconds = Field(default=300.0, gt=0, description="for one request, from sending to the last byte")
    max_reply_bytes: int = Field(default=2_000_000, ge=1, description="larger replies are broken off")
    structured: Literal["auto", "on", "off"] = Field(
        default="auto", description="ask for JSON by schema: where the server takes it, always, or in the prompt only"
    )


class ModelsSettings(BaseModel):
    """The models of all creative roles; without any the symbolic agents do the work."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    default: ModelSettings = ModelSettings()
    formalizer: ModelSettings = ModelSettings()
    judge: ModelSettings = ModelSettings()
    prover: ModelSettings = ModelSettings()
    corrector: ModelSettings = ModelSettings()
    sketcher: ModelSettings = ModelSettings()
    decider: ModelSettings = ModelSettings()
    search_query: ModelSettings = ModelSettings()

    record: Path | None = Field(default=None, description="file to write every request and reply to")
    record_note: str = Field(default="", description="for people, in the first line of that file")
    replay: Path | None = Field(default=None, description="file to answer from, without any network")
    cache: bool = Field(default=True, description="keep replies in cache.db of the data directory")
    prices: Path | None = Field(default=None, description="price table; default: prices.toml of the data directory")

    def role(self, name: str) -> ModelSettings:
        """What a role uses: its own settings over those of ``default``."""
        own: ModelSettings = getattr(self, name)
        return self.default.model_copy(update={field: getattr(own, field) for field in own.model_fields_set})


class ScheduleSettings(BaseModel):
    """How a model's attempts on one goal differ. Beyond the end of a list its last entry goes on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_attempts: int = Field(default=5, ge=1, description="rounds of sketches on one goal; backtracking adds one")
    beam: tuple[int, ...] = Field(default=(1, 3, 3, 5, 5), min_length=1, description="samples of each round")
    temperature: tuple[float, ...] = Field(default=(0.3, 0.5, 0.5, 0.7, 0.7), min_length=1)
    max_tokens: int | None = Field(default=None, ge=1, description="of one reply; a role's own setting wins")


class RetrievalSettings(BaseModel):
    """Where premises for a goal are looked up: the file, its project and the library, and services named here."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    premises: int = Field(default=16, ge=0, le=200, description="premises offered for one goal; 0: none are looked up")
    seconds: Seconds = Field(default=20.0, gt=0, description="for one search; a run goes on without what is late")
    loogle_url: Address | None = Field(default=None, description="e.g. https://loogle.lean-lang.org; else LOOGLE_URL")
    leanexplore_url: Address | None = Field(
        default=None, description="e.g. https://www.leanexplore.com/api/v2; else LEANEXPLORE_URL"
    )
    leanexplore_api_key: SecretStr | None = Field(default=None, description="else LEANEXPLORE_API_KEY")


class LeanSettings(BaseModel):
    """Which Lean is asked, and how much of the machine it may have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["auto", "embedded", "native", "kimina"] = Field(
        default="auto", description="auto: kimina with an address, native in a lake project, else embedded"
    )
    project: Path | None = Field(default=None, description="a lake project; else LEAN_PROJECT_PATH, the one around")
    kimina_url: Address | None = Field(default=None, description="address of a Kimina Lean Server")
    kimina_api_key: SecretStr | None = Field(default=None, description="else LEAN_SERVER_API_KEY; some need none")
    memory_mb: int | None = Field(
        default=None, ge=512, description="of one Lean process; None: 1536 embedded, 8192 native"
    )
    workers: int | None = Field(
        default=None, ge=1, description="Lean processes at once; None: two where there are processors for them"
    )
    proofs: bool = Field(default=False, description="prove: write proofs of SMT theorems for Lean, too")


class UnknownVariable(UserWarning):
    """A variable of the environment that looks like a setting and is none."""


class Settings(BaseSettings):
    """How runs behave. Frozen; ``Settings(**flags)`` puts flags above environment and file.

    Warns of variables of the environment that name no setting (:class:`UnknownVariable`).
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter=BETWEEN, frozen=True, extra="forbid")

    home: Annotated[Path, BeforeValidator(lambda given: given or DEFAULT_HOME)] = Field(
        default=DEFAULT_HOME, description="data directory: runs, lemma bank, statistics"
    )
    max_concurrency: int = Field(
        default=8, ge=1, description="agents' jobs at work at the same time; those that only check are counted apart"
    )
    seed: int = 0
    budgets: Budgets = Budgets()

    prover_agent_max_self_corrections: int = Field(
        default=2, ge=0, description="corrections after the first try of a pass"
    )
    prover_agent_max_pass: int = Field(
        default=2, ge=1, description="passes of proof attempts before a goal is sketched"
    )
    decomposer_agent_max_self_corrections: int = Field(
        default=DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS,
        ge=0,
        description="re-sketches of one node after its first sketch",
    )
    ban_after_failures: int = Field(default=2, ge=1, description="failures after which a model-made strategy is banned")
    ban_deterministic_after_failures: int = Field(default=1, ge=1, description="the same for deterministic strategies")
    when_hopeless: Literal["keep", "give_up"] = Field(
        default="keep", description="when no ancestor can be sketched again: finish the other goals, or stop at once"
    )
    agent_timeout: Seconds | None = Field(
        default=None, gt=0, description="seconds for one agent's job, None: the agent's own"
    )
    use_memory: bool = Field(default=True, description="use lemmas and statistics of earlier runs, and add this run's")
    models: ModelsSettings = ModelsSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    symbolic_queries: int = Field(
        default=300, ge=0, description="solver queries that the symbolic search may pose before a model is asked"
    )
    retrieval: RetrievalSettings = RetrievalSettings()
    lean: LeanSettings = LeanSettings()
    model_first: bool = Field(default=False, description="ask a model for a proof before the symbolic agents try")
    prompts_dir: Path | None = Field(default=None, description="folder with prompts that replace ours, by file name")
    store_url: SecretStr | None = Field(
        default=None, description="postgresql://USER@HOST/DATABASE: where runs are kept; None: in the data directory"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """First wins: arguments, environment, then ``config.toml`` of the data directory in force."""
        for line in unknown_variables(os.environ):
            warnings.warn(line, UnknownVariable, stacklevel=1)  # of one place: each is told once
        file = configuration_file(os.environ, init_settings().get("home"))
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=file))

    @property
    def data_dir(self) -> Path:
        """The data directory with ``~`` expanded."""
        return self.home.expanduser()

    @property
    def max_attempts(self) -> int:
        """Proof attempts one node may spend: passes times (first try + corrections), capped by the budget."""
        scheduled = self.prover_agent_max_pass * (1 + self.prover_agent_max_self_corrections)
        return min(scheduled, self.budgets.attempts_per_node or scheduled)


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """One line for each variable ``GOEDELS_POETRY__…`` that names no setting, with the nearest one that does.

    So for ``GOEDELS_POETRY_…`` with one underscore, where it would name one with two. A name that is wrong inside a
    group is an error of its own when settings are made.
    """
    lines = []
    for variable in sorted(environment):
        name = variable.upper()
        if not name.startswith(NEARLY) or name in OTHERS:
            continue
        groups = _groups()
        known = [f"{PREFIX}{BETWEEN.join(filter(None, (group, inner)))}" for group in groups for inner in groups[group]]
        group, _, inside = name.removeprefix(PREFIX).partition(BETWEEN)
        if name.startswith(PREFIX):
            if groups.get(group) and (not inside or len(groups[group]) > 1):
                continue
            nearest = get_close_matches(name.removeprefix(PREFIX), [each.removeprefix(PREFIX) for each in known], 1)
            near = f"{PREFIX}{nearest[0]}" if nearest else ""
        else:
            near = next((each for each in known if each.replace(BETWEEN, "_") == name), "")
            if not near:
                continue  # it is of another program
        hint = f"; did you mean {near}?" if near else ""
        lines.append(f"the environment variable {ascii(variable)[1:-1]} names no setting{hint}")
    return lines


@cache
def _groups() -> dict[str, list[str]]:
    """Every setting in capitals with those inside it, of which "" is the setting itself."""
    kinds = ((name, field.annotation) for name, field in Settings.model_fields.items())
    return {
        name.upper(): ["", *(inner.upper() for inner in kind.model_fields)]
        if isinstance(kind, type) and issubclass(kind, BaseModel)
        else [""]
        for name, kind in kinds
    }
