"""One goal as Lean text: what stands before it, what it may cite, what it states."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

LEMMA_PREFIX = "gp_"


@dataclass(frozen=True, slots=True)
class Fact:
    """A proven statement that may be cited by name; in search it stands as an axiom, so that its use shows."""

    id: str
    """Its step in the derivation."""
    name: str
    statement: str
    """`theorem NAME.{levels} : TYPE`, as in a node."""

    @property
    def stub(self) -> str:
        """The fact as an axiom."""
        return "axiom" + self.statement.removeprefix("theorem")


@dataclass(frozen=True, slots=True)
class Task:
    """A theorem to prove. Its text is prefix + facts + helpers + head + ``:=`` + proof."""

    prefix: str
    """The user's text before the theorem, the same for all goals of a run: Lean keeps its state."""
    head: str
    """The declaration up to the type: ``theorem NAME (xs : List Nat) : xs ++ [] = xs``."""
    name: str
    """As written in the head."""
    facts: tuple[Fact, ...] = ()
    functions: tuple[str, ...] = ()
    """Full names of the definitions of the prefix, first those that the statement mentions."""
    types: tuple[str, ...] = field(default=())
    """Full names of the inductive types of the prefix."""
    draft: str = ""
    """The beginning of a proof that stands in the file: what follows ``:=``, with holes."""

    @property
    def stubs(self) -> str:
        """The facts, one a line."""
        return "".join(f"{fact.stub}\n\n" for fact in self.facts)

    def code(self, proof: str, helpers: str = "") -> str:
        """What follows the prefix when the goal is proved by ``proof`` (the text after ``:=``)."""
        extra = f"{helpers.strip()}\n\n" if helpers.strip() else ""
        return f"{self.stubs}{extra}{self.head} := {proof}\n"


def lemma_statement(type_: str, levels: tuple[str, ...] = ()) -> tuple[str, str]:
    """Name and declaration (without proof) of a lemma that states ``type_``; equal statements get equal names."""
    anonymous = statement_of("", type_, levels).removeprefix("theorem ")
    name = LEMMA_PREFIX + hashlib.sha256(anonymous.encode()).hexdigest()[:10]
    return name, statement_of(name, type_, levels)


def statement_of(name: str, type_: str, levels: tuple[str, ...] = ()) -> str:
    """The declaration, without proof, of a theorem that states ``type_``."""
    universe = f".{{{', '.join(levels)}}}" if levels else ""
    return f"theorem {name}{universe} : {type_}"


def lemma_name(statement: str) -> str:
    """The name in a declaration made by `lemma_statement`."""
    return statement.split(maxsplit=2)[1].split(".{")[0]


def lemma_type(statement: str) -> str:
    """What a lemma made by `lemma_statement` says, without its name."""
    return statement.partition(" : ")[2]
