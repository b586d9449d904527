"""Declarations that are changed at random, judged by Lean's kernel and by ours: where does one accept and one refuse?

Honest texts are elaborated and exported; then declarations of theirs are changed: subterms exchanged, levels, indices,
constants, literals, projections and binders replaced, arguments dropped, terms wrapped so that they stay well-typed.
Both kernels judge each change by itself, on top of the honest declarations. Of inductive types only the types and
constructors are changed, for Lean's kernel makes the recursors itself; where that is simple they get the recursor that
fits the change.

At the end it says how often both accept, both refuse, one of them is undecided, and how often they differ; of every
difference the stream is written to a file. No differences are levels that are equal where Lean does not see it (it
accepts the same with plainer ones), and recursors that are equal to Lean's and not the same to the letter. It fails
when there is a difference.

    python scripts/fuzz_kernels.py [--count 10000] [--seed 1] [--out fuzz_findings] [--batch 250]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

from goedels_poetry.lean.gate.compare import TYPECHECKER
from goedels_poetry.lean.runtime.embedded import embedded_pool, node_command
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, ReplayRequest

sys.path += [str(Path(__file__).parents[1] / "tests" / "support")]

from lean_streams import Tables, sections, telescope, without_records

BINDER_INFO = ("default", "implicit", "strictImplicit", "instImplicit")
MOST_NODES = 3000
"""Of a declaration that is changed: larger ones take long and teach nothing new."""
SECONDS_EACH = 3
SHARE_OF_TYPES = 0.3
OTHER_RECURSOR = "not what the kernel makes of its type"
"""What Lean's side says where the recursor of the data is not that of Lean's kernel to the letter."""
TEXTS = (
    """
theorem a1 (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩
theorem a2 (p q r : Prop) : (p → q → r) ↔ (p ∧ q → r) := ⟨fun f h => f h.1 h.2, fun f a b => f ⟨a, b⟩⟩
theorem a3 (p q : Prop) (h : p ∨ q) : q ∨ p := h.elim Or.inr Or.inl
theorem a4 (p : Prop) (h : ¬¬p) : p := Classical.byContradiction h
theorem a5 (α : Type) (p q : α → Prop) : (∃ x, p x ∧ q x) → (∃ x, p x) ∧ ∃ x, q x := fun ⟨x, a, b⟩ => ⟨⟨x, a⟩, ⟨x, b⟩⟩
theorem a6 (α : Sort u) (a b c : α) (h : a = b) (g : b = c) : a = c := h.trans g
theorem a7 (α : Sort u) (β : α → Sort v) (f g : ∀ a, β a) (h : ∀ a, f a = g a) : f = g := funext h
theorem a8 (p q : Prop) (h : p ↔ q) : p = q := propext h
def a9 (p : Prop) (a b : p) : a = b := rfl
""",
    """
theorem b1 (n : Nat) : 0 + n = n := by induction n with | zero => rfl | succ n ih => exact congrArg Nat.succ ih
theorem b2 (a b : Nat) : a + b = b + a := Nat.add_comm a b
theorem b3 : 12345678901234567890 * 98765432109876543210 = 1219326311370217952237463801111263526900 := rfl
theorem b4 (n : Nat) : n + 2 = Nat.succ (n + 1) := rfl
theorem b5 : (2 : Nat) ^ 100 % 1000 = 376 := by decide
theorem b6 : ∀ n : Fin 5, n.val < 5 := by decide
theorem b7 (n m : Nat) (h : n < m) : n ≠ m := Nat.ne_of_lt h
def b8 : Nat → Nat | 0 => 1 | n + 1 => (n + 1) * b8 n
theorem b9 : b8 5 = 120 := rfl
def b10 (n : Nat) : Nat := if n = 0 then 3 else n - 1
theorem b11 : b10 0 = 3 := rfl
theorem b12 : Nat.gcd 12 18 = 6 := rfl
theorem b13 : (5 : Nat) - 7 = 0 := rfl
""",
    """
def c1 (p : Nat × Bool) : Bool × Nat := (p.2, p.1)
theorem c2 (p : Nat × Bool) : (p.1, p.2) = p := rfl
theorem c3 (a b : Unit) : a = b := rfl
structure C4 (α : Type u) (β : α → Type v) where
  x : α
  y : β x
def c5 (p : C4 Nat fun n => Fin (n + 1)) : Nat := p.y.val + p.x
theorem c6 (p : C4 Nat fun n => Fin (n + 1)) : C4.mk p.x p.y = p := rfl
structure C7 (p q : Prop) : Prop where
  l : p
  r : q
theorem c8 (p q : Prop) (h : C7 p q) : C7 q p := ⟨h.r, h.l⟩
class C9 (α : Type u) where
  op : α → α → α
  one : α
instance c10 : C9 Nat := ⟨(· + ·), 0⟩
theorem c11 : C9.op (α := Nat) 2 3 = 5 := rfl
def c12 : { n : Nat // n > 3 } := ⟨4, by decide⟩
theorem c13 (s : { n : Nat // n > 3 }) : s.1 > 3 := s.2
""",
    """
universe u v w
def d1 {α : Sort u} {β : Sort v} {γ : Sort w} (g : β → γ) (f : α → β) : α → γ := fun a => g (f a)
theorem d2 {α : Sort u} {β : Sort v} (f : α → β) : d1 (fun b => b) f = f := rfl
def d3 (α : Type u) (β : Type v) : Type (max u v) := α → β
def d4 (α : Sort u) (p : α → Prop) : Prop := ∀ a, p a
structure D5.{r, s} (α : Type s) : Type (max s r) where
  up :: down : α
theorem d6 {α : Type v} (l : D5.{u} α) : D5.up l.down = l := rfl
theorem d7 (f : α → α → Prop) : ¬ ∀ s : α → Prop, ∃ a, f a = s := fun h =>
  let ⟨a, e⟩ := h fun b => ¬ f b b
  have n : ¬ f a a := fun g => (congrFun e a).mp g g
  n ((congrFun e a).mpr n)
def d8 : Type 1 := (α : Type) → α → α
def d9 : d8 := fun _ a => a
def d10 (α : Sort u) : Sort (max 1 u) := PProd α PUnit
""",
    """
universe u v
inductive E1 (α : Type u) where
  | leaf
  | node (l : E1 α) (a : α) (r : E1 α)
def E1.mirror {α : Type u} : E1 α → E1 α
  | leaf => leaf
  | node l a r => node r.mirror a l.mirror
theorem E1.mirror_mirror {α : Type u} (t : E1 α) : t.mirror.mirror = t := by
  induction t with
  | leaf => rfl
  | node l a r hl hr => simp [mirror, hl, hr]
inductive E2 (α : Type u) : Nat → Type u
  | nil : E2 α 0
  | cons {n} (a : α) (rest : E2 α n) : E2 α (n + 1)
def E2.head {α : Type u} {n : Nat} : E2 α (n + 1) → α
  | cons a _ => a
inductive E3 {α : Sort u} (r : α → α → Prop) : α → α → Prop
  | here (a : α) : E3 r a a
  | step {a b c : α} : r a b → E3 r b c → E3 r a c
theorem E3.trans {α : Sort u} {r : α → α → Prop} {a b c : α} (h : E3 r a b) (g : E3 r b c) : E3 r a c := by
  induction h with
  | here => exact g
  | step e _ ih => exact .step e (ih g)
inductive E4 : Nat → Prop
  | intro : E4 3
theorem e5 {n : Nat} (h : E4 n) : n = 3 := by cases h; rfl
inductive E6 (α : Type u) (β : α → Type v) : Type (max u v)
  | sup (a : α) (f : β a → E6 α β)
inductive E7 | zero | succ (n : E7) | limit (f : Nat → E7)
inductive E8 (p : Prop) (n : Nat) : Prop | mk (h : p) (g : n = n) : E8 p n
inductive E9 : Bool → Nat → Prop | mk (b : Bool) (n : Nat) : E9 b n
inductive E10 (α : Sort u) : Prop | mk (a : α)
inductive E11 : Prop
inductive E12 : Type 1 | mk (α : Type) (f : α → E12)
""",
    """
inductive F1 (α : Type u) where
  | node (a : α) (below : List (F1 α))
inductive F2 where
  | one (below : Array (Option F2))
  | two (f : Nat → List F2) (p : F2 × Nat)
mutual
inductive F3 : Nat → Prop
  | zero : F3 0
  | succ {n} : F4 n → F3 (n + 1)
inductive F4 : Nat → Prop
  | succ {n} : F3 n → F4 (n + 1)
end
mutual
inductive F5 (σ : Type u) where
  | var (i : Nat)
  | call (f : σ) (args : F6 σ)
inductive F6 (σ : Type u) where
  | nil
  | cons (head : F5 σ) (rest : F6 σ)
end
theorem f7 : ∀ n, F3 n ∨ F4 n
  | 0 => .inl .zero
  | n + 1 => (f7 n).elim (fun h => .inr (.succ h)) (fun h => .inl (.succ h))
structure F8 (α : Type u) where
  a : α
inductive F9 where
  | leaf
  | node (b : F8 F9) (c : F9 ⊕ Nat)
""",
    """
def g1 : Setoid Nat where
  r a b := a % 2 = b % 2
  iseqv := ⟨fun _ => rfl, fun h => h.symm, fun h g => h.trans g⟩
def G2 := Quotient g1
def G2.flag : G2 → Bool := Quotient.lift (fun n => n % 2 == 0) fun a b (h : a % 2 = b % 2) => by simp [h]
theorem g3 (n : Nat) : G2.flag (Quotient.mk g1 n) = (n % 2 == 0) := rfl
theorem g4 (r : Nat → Nat → Prop) (a b : Nat) (h : r a b) : Quot.mk r a = Quot.mk r b := Quot.sound h
theorem g5 (r : Nat → Nat → Prop) (p : Quot r → Prop) (h : ∀ a, p (Quot.mk r a)) (q : Quot r) : p q := Quot.ind h q
theorem g6 (a : Bool) (h : true = true) : Eq.rec (motive := fun _ _ => Bool) a h = a := rfl
theorem g7 {α β : Type} (h : α = β) (a : α) : HEq (cast h a) a := by subst h; rfl
theorem g8 (r : Nat → Nat → Prop) (a : Nat) (h : ∀ b, r b a → Acc r b) (x : Nat) :
    Acc.rec (motive := fun _ _ => Nat) (fun _ _ _ => x) (Acc.intro a h) = x := rfl
theorem g9 : "abc" ++ "d" = "abcd" := by decide
theorem g10 : "Gödel".length = 5 := by decide
theorem g11 : 'a'.toNat = 97 := rfl
theorem g12 : (let a := 3; let b := a + a; b * b) = 36 := rfl
theorem g13 (x : Option Nat) (h : x = some 3) : x.getD 0 = 3 := by rw [h]; rfl
theorem g14 (f : Unit → Nat) (u : Unit) : f u = f () := rfl
noncomputable def g15 (h : ∃ n : Nat, n > 3) : Nat := Classical.choose h
""",
    """
theorem h1 (a b : Nat) (h : a < b) : 2 * a + 1 < 2 * b := by omega
theorem h2 (a b : Nat) : (a + 0) * b = b * a := by simp [Nat.mul_comm]
theorem h3 (f : Nat → Nat) (a b : Nat) (h : f a = b) (g : f b = a) (e : a = b) : f (f a) = a := by grind
theorem h4 (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length := by simp [Nat.add_comm]
theorem h5 (a b c : Int) (h : a = b + 1) (g : c ≤ b) : c < a := by omega
theorem h6 (x : Bool) : (x && !x) = false := by cases x <;> rfl
theorem h7 (a b c : Nat) : a * (b + c) = a * b + a * c := Nat.mul_add a b c
""",
)


class Mutator:
    """Changes of declarations of one export."""

    def __init__(self, tables: Tables, chance: random.Random) -> None:
        self.tables, self.chance = tables, chance
        self.terms = len(tables.terms)
        self.constants = [i for i in range(self.terms) if "const" in tables.terms[i]]
        self.subjects = [
            (kind, d)
            for kind, d in tables.records
            if kind in ("def", "thm", "inductive") and self.size(tables.roots(kind, d)) <= MOST_NODES
        ]
        self.levels = len(tables.levels)

    def size(self, roots: list[int]) -> int:
        seen, todo = set(), list(roots)
        while todo:
            i = todo.pop()
            if i not in seen:
                seen.add(i)
                todo.extend(self.tables.below(i))
        return len(seen)

    def renamed(self, kind: str, d: dict[str, Any], number: int) -> dict[str, Any]:
        """A copy under names of its own."""
        t, copy = self.tables, deepcopy(d)
        parts = [copy] if kind != "inductive" else [*copy["types"], *copy["ctors"], *copy["recs"]]
        root = t.name("mutant")
        root = t.put(t.names, {"num": {"pre": root, "i": number}})
        names: dict[int, int] = {}
        for p in parts:
            names[p["name"]] = self._below(root, p["name"])
        memo: dict[int, int] = {}

        def visit(x: Any, key: str = "") -> Any:
            if isinstance(x, dict):
                return {k: visit(v, k) for k, v in x.items()}
            if isinstance(x, list):
                return [visit(v, key) for v in x]
            if key in ("name", "all", "induct", "ctor", "ctors") and isinstance(x, int):
                return names.get(x, x)
            if key in ("type", "value", "rhs"):
                return t.renamed(x, names, memo)
            return x

        changed: dict[str, Any] = visit(copy)
        return changed

    def _below(self, root: int, name: int) -> int:
        if not name:
            return root
        [(kind, inner)] = self.tables.names[name].items()
        return self.tables.put(self.tables.names, {kind: {**inner, "pre": self._below(root, inner["pre"])}})

    def mutant(self, number: int) -> tuple[str, dict[str, Any], str]:
        """Kind, record, and what was done."""
        wanted = self.chance.random() < SHARE_OF_TYPES
        kind, d = self.chance.choice([s for s in self.subjects if (s[0] == "inductive") == wanted] or self.subjects)
        record, done = self.renamed(kind, d, number), []
        for _ in range(self.chance.choice((1, 1, 1, 1, 2, 3))):
            done.append(self.change(kind, record))
        if kind == "inductive" and len(record["types"]) == 1 and not record["types"][0]["numNested"]:
            record = self.with_recursor(record)
        return kind, record, "+".join(done)

    def with_recursor(self, d: dict[str, Any]) -> dict[str, Any]:
        """The recursor that fits what has been changed, into all sorts or into propositions."""
        t, one = self.tables, d["types"][0]
        type, parameters = t.unfolded(one["type"]), one["numParams"]
        constructors = [(t.name_parts(c["name"]), t.unfolded(c["type"])) for c in d["ctors"]]
        above, result = telescope(type)
        if (
            result[0] != "sort"
            or len(above) < parameters
            or any(len(telescope(c)[0]) < parameters for _, c in constructors)
        ):
            return d
        proposition = result == ("sort", 0)
        singleton = len(constructors) == 1 and len(telescope(constructors[0][1])[0]) == parameters
        large = not proposition or self.chance.random() < 0.5
        name, levels = t.name_parts(one["name"]), [t.name_text(u) for u in one["levelParams"]]
        try:
            t.inductive(name, type, constructors, parameters, levels, large, proposition and singleton and large)
        except (IndexError, ValueError):
            return d
        made: dict[str, Any] = t.records.pop()[1]
        return made

    def change(self, kind: str, d: dict[str, Any]) -> str:
        chance, t = self.chance, self.tables
        if kind == "inductive":
            if chance.random() < 0.08 and len(d["ctors"]) > 1:
                a, b = chance.sample(d["ctors"], 2)
                a["type"], b["type"] = b["type"], a["type"]
                return "exchange constructors"
            part = chance.choice([*d["types"], *d["ctors"], *d["ctors"]])
            part["type"], how = self.changed(part["type"])
            return f"constructor: {how}"
        roll = chance.random()
        if roll < 0.03 and kind == "def":
            d["hints"] = chance.choice(("opaque", "abbrev", {"regular": chance.randrange(1000)}))
            return "hints"
        if roll < 0.06 and d["levelParams"]:
            d["levelParams"] = chance.choice(
                (
                    d["levelParams"][1:],
                    d["levelParams"][::-1],
                    d["levelParams"] * 2,
                    [*d["levelParams"], t.name("extra")],
                )
            )
            return "parameters"
        if roll < 0.09:
            d["type"], d["value"] = d["value"], d["type"]
            return "exchange type and value"
        key = "value" if chance.random() < 0.7 else "type"
        d[key], how = self.changed(d[key])
        return f"{key}: {how}"

    def changed(self, root: int) -> tuple[int, str]:
        """A term with one occurrence of a subterm replaced."""
        t, path, at = self.tables, [], root
        while True:
            below = t.below(at)
            if not below or self.chance.random() < 0.12:
                break
            i = self.chance.randrange(len(below))
            path.append((at, i))
            at = below[i]
        at, how = self.replaced(at, root)
        for parent, i in reversed(path):
            below = t.below(parent)
            below[i] = at
            at = t.rebuilt(parent, below)
        return at, how

    def some(self, root: int) -> int:
        """A subterm of a term, or any term of the export."""
        t, at = self.tables, root
        if self.chance.random() < 0.3:
            return self.chance.randrange(self.terms)
        while (below := t.below(at)) and self.chance.random() < 0.85:
            at = self.chance.choice(below)
        return at

    def replaced(self, i: int, root: int) -> tuple[int, str]:
        t, chance = self.tables, self.chance
        [(kind, v)] = t.terms[i].items()

        def put(kind: str, v: Any) -> int:
            return t.put(t.terms, {kind: v})

        # What keeps it well-typed, mostly.
        roll = chance.random()
        if roll < 0.07:
            body = put("bvar", 0)
            domain = self.some(root)
            identity = put("lam", {"name": 0, "type": domain, "body": body, "binderInfo": "default"})
            return put("app", {"fn": identity, "arg": i}), "wrap in an identity"
        if roll < 0.12:
            unit = put("const", {"name": t.name("True"), "us": []})
            proof = put("const", {"name": t.name("True.intro"), "us": []})
            body = self.lifted(i)
            return put(
                "letE", {"name": 0, "type": unit, "value": proof, "body": body, "nondep": False}
            ), "wrap in a let"
        if roll < 0.16:
            true, proof = put("const", {"name": t.name("True"), "us": []}), self.some(root)
            if chance.random() < 0.7:
                proof = put("const", {"name": t.name("True.intro"), "us": []})
            function = put("lam", {"name": 0, "type": true, "body": self.lifted(i), "binderInfo": "default"})
            return put("app", {"fn": function, "arg": proof}), "wrap in a constant function"
        if roll < 0.19:
            names = [t.terms[c]["const"]["name"] for c in self.constants[:200]]
            projection = {"typeName": chance.choice(names), "idx": chance.randrange(3), "struct": i}
            return put("proj", projection), "wrap in a projection"
        if roll < 0.22:
            return put("app", {"fn": i, "arg": self.some(root)}), "one argument more"
        if roll < 0.30:
            return self.some(root), "another subterm"
        match kind:
            case "bvar":
                return put("bvar", max(0, v + chance.choice((-1, 1, 2)))), "variable"
            case "sort":
                return put("sort", self.level(v)), "level of a sort"
            case "const":
                if v["us"] and chance.random() < 0.6:
                    us = [*v["us"]]
                    at = chance.randrange(len(us))
                    how = chance.random()
                    if how < 0.1:
                        us.pop()
                    elif how < 0.2:
                        us.append(chance.randrange(self.levels))
                    elif how < 0.35:
                        us.reverse()
                    else:
                        us[at] = self.level(us[at])
                    return put("const", {**v, "us": us}), "levels of a constant"
                other = t.terms[chance.choice(self.constants)]["const"]
                return put("const", {**other, "us": v["us"] if chance.random() < 0.5 else other["us"]}), "constant"
            case "app":
                how = chance.random()
                if how < 0.35:
                    return put("app", {"fn": v["arg"], "arg": v["fn"]}), "turn an application round"
                if how < 0.7:
                    return v["fn"], "drop an argument"
                inner = t.terms[v["fn"]].get("app")
                if inner:
                    first = put("app", {"fn": inner["fn"], "arg": v["arg"]})
                    return put("app", {"fn": first, "arg": inner["arg"]}), "exchange arguments"
                return v["arg"], "drop a function"
            case "lam" | "forallE":
                how = chance.random()
                if how < 0.2:
                    return put(kind, {**v, "binderInfo": chance.choice(BINDER_INFO)}), "kind of a binder"
                if how < 0.3:
                    return put("forallE" if kind == "lam" else "lam", v), "lambda for pi"
                if how < 0.6:
                    return put(kind, {**v, "type": self.some(root)}), "type of a binder"
                inner = t.terms[v["body"]].get(kind)
                if inner and how < 0.8:
                    first = put(kind, {**v, "type": inner["type"], "body": inner["body"]})
                    return put(kind, {**inner, "type": v["type"], "body": first}), "exchange binders"
                return v["body"], "drop a binder"
            case "letE":
                how = chance.random()
                if how < 0.4:
                    return put(kind, {**v, "value": self.some(root)}), "value of a let"
                if how < 0.7:
                    return put(kind, {**v, "type": self.some(root)}), "type of a let"
                function = put("lam", {"name": 0, "type": v["type"], "body": v["body"], "binderInfo": "default"})
                return put("app", {"fn": function, "arg": v["value"]}), "function for a let"
            case "proj":
                if chance.random() < 0.5:
                    return put(kind, {**v, "idx": chance.choice((0, 1, 2, 5, v["idx"] + 1))}), "number of a projection"
                other = t.terms[chance.choice(self.constants)]["const"]["name"]
                return put(kind, {**v, "typeName": other}), "structure of a projection"
            case "natVal":
                n = int(v)
                return put(kind, str(max(0, chance.choice((n + 1, n - 1, n * 2, 0, 1, 2**32, 2**64 + n))))), "number"
            case "strVal":
                return put(kind, chance.choice((v + "a", v[1:], v[::-1], "", "é"))), "string"
        return i, "nothing"

    def lifted(self, root: int) -> int:
        """A term below one binder more."""
        t = self.tables
        memo: dict[tuple[int, int], int] = {}

        def lift(i: int, depth: int) -> int:
            if (i, depth) not in memo:
                [(kind, v)] = t.terms[i].items()
                if kind == "bvar":
                    memo[i, depth] = t.put(t.terms, {kind: v + 1}) if v >= depth else i
                else:
                    inner = kind in ("lam", "forallE", "letE")
                    below = t.below(i)
                    last = len(below) - 1
                    memo[i, depth] = t.rebuilt(
                        i, [lift(b, depth + (inner and at == last)) for at, b in enumerate(below)]
                    )
            return memo[i, depth]

        return lift(root, 0)

    def level(self, i: int) -> int:
        t, chance = self.tables, self.chance
        roll = chance.random()
        other = chance.randrange(self.levels)
        if roll < 0.2:
            return t.put(t.levels, {"succ": i})
        if roll < 0.35:
            return t.put(t.levels, {"max": [i, other]})
        if roll < 0.5:
            return t.put(t.levels, {"imax": [i, other] if chance.random() < 0.5 else [other, i]})
        if roll < 0.6:
            return t.put(t.levels, {"max": [i, i]})
        if roll < 0.7:
            return t.put(t.levels, {"imax": [0, i]})
        [(kind, v)] = t.levels[i].items() if i else [("zero", 0)]
        if kind == "succ" and roll < 0.8:
            return int(v)
        if kind in ("max", "imax") and roll < 0.9:
            return t.put(t.levels, {"imax" if kind == "max" else "max": v[::-1] if chance.random() < 0.5 else v})
        return other


class Plain:
    """Declarations with their levels written as plainly as can be; what they say stays the same."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.levels: dict[int, int] = {0: 0}
        self.terms: dict[int, int] = {}

    def record(self, d: dict[str, Any]) -> dict[str, Any]:
        def visit(x: Any, key: str = "") -> Any:
            if isinstance(x, dict):
                return {k: visit(v, k) for k, v in x.items()}
            if isinstance(x, list):
                return [visit(v, key) for v in x]
            return self.term(x) if key in ("type", "value", "rhs") else x

        plain: dict[str, Any] = visit(d)
        return plain

    def term(self, root: int) -> int:
        t, todo = self.tables, [root]
        while todo:
            missing = [b for b in t.below(todo[-1]) if b not in self.terms]
            if missing:
                todo.extend(missing)
                continue
            i = todo.pop()
            [(kind, v)] = t.terms[i].items()
            if kind == "sort":
                self.terms[i] = t.put(t.terms, {kind: self.level(v)})
            elif kind == "const":
                self.terms[i] = t.put(t.terms, {kind: {**v, "us": [self.level(u) for u in v["us"]]}})
            else:
                self.terms[i] = t.rebuilt(i, [self.terms[b] for b in t.below(i)])
        return self.terms[root]

    def level(self, i: int) -> int:
        if i not in self.levels:
            [(kind, v)] = self.tables.levels[i].items()
            if kind == "succ":
                self.levels[i] = self.put("succ", self.level(v))
            elif kind == "param":
                self.levels[i] = i
            else:
                self.levels[i] = self.both(kind, self.level(v[0]), self.level(v[1]))
        return self.levels[i]

    def put(self, kind: str, v: Any) -> int:
        return self.tables.put(self.tables.levels, {kind: v})

    def below(self, i: int) -> int | None:
        """The level that this is the successor of."""
        found: int | None = self.tables.levels[i].get("succ") if i else None
        return found

    def parts(self, i: int) -> set[int]:
        """What a level is the maximum of."""
        v = self.tables.levels[i].get("max") if i else None
        return {i} if v is None else self.parts(v[0]) | self.parts(v[1])

    def positive(self, i: int) -> bool:
        """Never zero, whatever the parameters are."""
        [(kind, v)] = self.tables.levels[i].items() if i else [("zero", 0)]
        if kind == "max":
            return any(self.positive(x) for x in v)
        return kind == "succ" or (kind == "imax" and self.positive(v[1]))

    def both(self, kind: str, a: int, b: int) -> int:
        under_a, under_b = self.below(a), self.below(b)
        if kind == "imax":
            if b == 0:
                return 0
            if not self.positive(b):
                # Where b is 0 so is this; elsewhere a maximum of b and 1 adds nothing.
                return b if self.parts(a) <= {0, b, self.put("succ", 0)} else self.put("imax", [a, b])
        if a == b or a == 0:
            return b
        if b == 0:
            return a
        if under_a is not None and under_b is not None:
            return self.put("succ", self.both("max", under_a, under_b))
        return self.put("max", [a, b])


async def by_ours(stream: str, count: int) -> list[dict[str, Any]]:
    """Our kernel about every declaration of the candidate's part."""
    settings = {"mode": "each", "seconds": 60 + SECONDS_EACH * count, "secondsEach": SECONDS_EACH}
    rights = ("--permission", "--allow-worker", f"--allow-fs-read={TYPECHECKER}")
    command = [*node_command(), *rights, str(TYPECHECKER / "main.cjs"), json.dumps(settings)]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL)
    out, _ = await process.communicate(stream.encode(errors="surrogatepass"))
    answer = json.loads(out)
    each: list[dict[str, Any]] = answer["each"]
    if len(each) < count:
        reason = f"the run ended: {answer.get('reason')}"
        each += [{"verdict": "unjudged", "reason": reason}] * (count - len(each))
    return each


async def accepts_plainly(lean: LeanPool, tables: Tables, kind: str, d: dict[str, Any], honest: str) -> bool:
    """Whether Lean's kernel takes a declaration when its levels are written plainly."""
    own = deepcopy(tables)
    own.records = [(kind, Plain(own).record(d))]
    own.keep(own.declared(*own.records[0]))
    done = await lean.replay(ReplayRequest(("Init",), own.stream(), base=honest, each=True))
    return done.status == "done" and [refused for _, refused in done.each] == [""]


async def exports(lean: LeanPool) -> list[tuple[Tables, str]]:
    """Of every text: the declarations that theorems can speak of."""
    found = []
    for text in TEXTS:
        done = await lean.check(CheckRequest(text, export=True))
        if not done.ok or done.data is None:
            raise SystemExit(f"a text is not right: {done.error} {[m.text for m in done.errors]}")
        tables = Tables.read(done.data)
        tables.keep(
            n for kind, d in tables.records if d.get("safety", "safe") == "safe" for n in tables.declared(kind, d)
        )
        found.append((tables, tables.stream()))
    return found


async def run(count: int, seed: int, out: Path, batch: int) -> int:
    lean, chance, began = embedded_pool(1), random.Random(seed), time.monotonic()
    totals: Counter[str] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    texts, made, findings = await exports(lean), 0, 0
    while made < count:
        original, base = texts[made // batch % len(texts)]
        tables = deepcopy(original)
        mutator = Mutator(tables, chance)
        todo = min(batch, count - made)
        mutants = [mutator.mutant(made + i) for i in range(todo)]
        tables.records = [(kind, d) for kind, d, _ in mutants]
        stream = tables.stream()
        # The library of all that the honest ones and the mutants mention.
        mention = await lean.replay(ReplayRequest(("Init",), without_records(stream), library=True))
        own = {n for kind, d in original.records for n in original.declared(kind, d)}
        library, honest = mention.library, base
        said, ours = await asyncio.gather(
            lean.replay(ReplayRequest(("Init",), stream, base=honest, each=True, seconds=300)),
            by_ours(joined(library, honest, stream, own), todo),
        )
        if said.status != "done" or len(said.each) != todo:
            totals["Lean gave no answer"] += todo
            made += todo
            continue
        for (_, refused), our, (kind, d, how) in zip(said.each, ours, mutants, strict=True):
            theirs = "undecided" if refused is None else "refused" if refused else "accepted"
            pair = (theirs, our["verdict"])
            if "undecided" in pair or "unjudged" in pair:
                label = f"{pair[1] if pair[0] != 'undecided' else pair[0]}"
            elif pair[0] == pair[1]:
                label = f"both {theirs}"
            elif refused == OTHER_RECURSOR:
                label = "the recursor is equal to Lean's and not the same"
            elif theirs == "refused" and await accepts_plainly(lean, tables, kind, d, honest):
                label = "the levels are equal and Lean does not see it"
            else:
                label = f"Lean {pair[0]}, ours {pair[1]}"
                findings += 1
                alone = deepcopy(tables)
                alone.records = [(kind, d)]
                declared = alone.declared(kind, d)
                alone.keep(declared)
                name = f"{seed}-{declared[0]}".replace("/", "_")
                (out / f"{name}.ndjson").write_text(joined(library, honest, alone.stream(), own))
                note = {"lean": refused, "ours": our["reason"], "change": how, "pair": pair}
                (out / f"{name}.json").write_text(json.dumps(note, ensure_ascii=False, indent=1))
            totals[label] += 1
            kinds[(label, how.split("+")[0])] += 1
        made += todo
    await lean.aclose()
    print(f"{made} declarations in {time.monotonic() - began:.0f} s, seed {seed}")
    for label, n in totals.most_common():
        often = [f"{how} {k}" for (of, how), k in kinds.most_common() if of == label][:6]
        types = sum(k for (of, how), k in kinds.items() if of == label and "constructor" in how)
        print(f"{n:7} {label}, {types} of them types   ({', '.join(often)})")
    if findings:
        print(f"{findings} differences are in {out}")
    return 1 if findings else 0


def joined(library: str, honest: str, candidate: str, own: set[str]) -> str:
    """The honest declarations become part of what is known: library and they are written with the same tables."""
    whole = merged(Tables.read(library), Tables.read(honest), own)
    return sections(whole, candidate)


_cache: dict[int, str] = {}


def merged(library: Tables, honest: Tables, own: set[str]) -> str:
    """Two streams as one."""
    key = hash((json.dumps(library.records), json.dumps(honest.records)))
    if key not in _cache:
        whole = Tables()
        whole.take(library)
        whole.take(honest)
        _cache[key] = whole.stream()
    return _cache[key]


def main() -> int:
    """Read the options and run."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--count", type=int, default=10000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--out", type=Path, default=Path("fuzz_findings"))
    options.add_argument("--batch", type=int, default=250)
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    return asyncio.run(run(given.count, given.seed, given.out, given.batch))


if __name__ == "__main__":
    sys.exit(main())
