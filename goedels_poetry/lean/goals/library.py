"""What is known of Lean's library without asking, or better than by asking."""

from __future__ import annotations

from typing import Final

CONSTRUCTORS: Final[dict[str, tuple[str, ...]]] = {
    "List": ("List.nil", "List.cons"),
    "Option": ("Option.none", "Option.some"),
    "Prod": ("Prod.mk",),
    "Sum": ("Sum.inl", "Sum.inr"),
    "Unit": ("Unit.unit",),
    "PUnit": ("PUnit.unit",),
    "Ordering": ("Ordering.lt", "Ordering.eq", "Ordering.gt"),
}
FIELDS: Final[dict[str, tuple[tuple[int, ...], ...]]] = {
    "List.nil": (),
    "List.cons": ((0,), ()),  # the parameter 0, the type itself
    "Option.none": (),
    "Option.some": ((0,),),
    "Prod.mk": ((0,), (1,)),
    "Sum.inl": ((0,),),
    "Sum.inr": ((1,),),
    "Unit.unit": (),
    "PUnit.unit": (),
    "Ordering.lt": (),
    "Ordering.eq": (),
    "Ordering.gt": (),
}
"""Of each constructor, its fields: a parameter of the type by its number, or () for the type itself."""
PROJECTIONS: Final[dict[str, tuple[str, int]]] = {"Prod.fst": ("Prod", 0), "Prod.snd": ("Prod", 1)}

HETEROGENEOUS: Final[dict[str, str]] = {
    "HAdd.hAdd": "Add.add",
    "HSub.hSub": "Sub.sub",
    "HMul.hMul": "Mul.mul",
    "HDiv.hDiv": "Div.div",
    "HMod.hMod": "Mod.mod",
    "HAppend.hAppend": "Append.append",
    "HPow.hPow": "Pow.pow",
}
CLASSES: Final[frozenset[str]] = frozenset(
    {
        *HETEROGENEOUS.values(),
        *("LE.le", "LT.lt", "BEq.beq", "Neg.neg", "Max.max", "Min.min", "Ord.compare", "Dvd.dvd", "Zero.zero"),
        *("One.one", "Membership.mem", "OfNat.ofNat", "Inhabited.default", "EmptyCollection.emptyCollection"),
    }
)
"""Operations of type classes: what they are stands in an instance."""
_LOGIC = """
Eq Ne And Or Not Iff Exists True False ite dite cond Bool.true Bool.false and or not xor Bool.and Bool.or Bool.not
bne Decidable.decide BEq.beq LE.le LT.lt GE.ge GT.gt id Function.comp Function.const Bool.xor namedPattern Decidable
DecidableEq BEq LawfulBEq LE LT Add Mul Sub Nat Int Bool BitVec List Option Prod Sum Unit PUnit Ordering OfNat.ofNat
Nat.zero Nat.succ Nat.add Nat.mul Nat.sub Nat.pow Nat.div Nat.mod Nat.pred Nat.ble Nat.beq Nat.le Nat.lt Nat.max
Nat.min Int.add Int.mul Int.sub Int.neg Int.ofNat Int.negSucc Int.toNat Int.natAbs Nat.cast IntCast.intCast Int.div
Int.mod Int.ediv Int.emod Eq.symm rfl Min.min Max.max Membership.mem Ord Append HAdd HMul HSub HAppend Hashable Repr
Inhabited DecidablePred DecidableRel SizeOf sizeOf
"""
LOGIC: Final[frozenset[str]] = frozenset(_LOGIC.split())
KNOWN: Final[frozenset[str]] = frozenset({*CONSTRUCTORS, *FIELDS, *PROJECTIONS, *HETEROGENEOUS, *CLASSES, *LOGIC})
"""Constants about which Lean is not asked."""

_U = "{α : Type _}"
EQUATIONS: Final[dict[str, str]] = {
    "List.reverse": f"∀ {_U} (x : List α), List.reverse x = match x with | [] => [] | a :: l => List.reverse l ++ [a]",
    "List.length": f"∀ {_U} (x : List α), List.length x = match x with | [] => 0 | _ :: l => List.length l + 1",
    "List.countP": f"∀ {_U} (p : α → Bool) (x : List α), List.countP p x = match x with | [] => 0 "
    "| a :: l => if p a then List.countP p l + 1 else List.countP p l",
    "List.count": f"∀ {_U} [BEq α] (a : α) (x : List α), List.count a x = match x with | [] => 0 "
    "| b :: l => if b == a then List.count a l + 1 else List.count a l",
    "List.elem": f"∀ {_U} [BEq α] (a : α) (x : List α), List.elem a x = match x with | [] => false "
    "| b :: l => if a == b then true else List.elem a l",
    "List.contains": f"∀ {_U} [BEq α] (x : List α) (a : α), List.contains x a = List.elem a x",
    "List.filter": f"∀ {_U} (p : α → Bool) (x : List α), List.filter p x = match x with | [] => [] "
    "| a :: l => if p a then a :: List.filter p l else List.filter p l",
    "List.flatten": f"∀ {_U} (x : List (List α)), List.flatten x = match x with | [] => [] "
    "| l :: r => l ++ List.flatten r",
    "List.sum": "∀ (x : List Nat), List.sum x = match x with | [] => 0 | a :: l => a + List.sum l",
    "List.all": f"∀ {_U} (x : List α) (p : α → Bool), List.all x p = match x with | [] => true "
    "| a :: l => p a && List.all l p",
    "List.any": f"∀ {_U} (x : List α) (p : α → Bool), List.any x p = match x with | [] => false "
    "| a :: l => p a || List.any l p",
    "List.isEmpty": f"∀ {_U} (x : List α), List.isEmpty x = match x with | [] => true | _ :: _ => false",
    "List.Mem": f"∀ {_U} (x : List α) (a : α), List.Mem a x = match x with | [] => False "
    "| b :: l => a = b ∨ List.Mem a l",
    "List.concat": f"∀ {_U} (x : List α) (a : α), List.concat x a = x ++ [a]",
}
"""Equations of functions that the library defines in another way than one proves about them."""
BEHIND: Final[dict[str, tuple[str, ...]]] = {
    "HAppend.hAppend": ("List.append",),
    "Append.append": ("List.append",),
    "Membership.mem": ("List.Mem",),
    "BEq.beq": ("List.beq",),
}
"""Functions that operations of classes come to."""
NAT_EQUATIONS: Final[dict[str, str]] = {
    "+": "(define-fun-rec {0} ((x {N}) (y {N})) {N} (ite ((_ is {z}) y) x ({s} ({0} x ({p} y)))))",
    "*": "(define-fun-rec {0} ((x {N}) (y {N})) {N} (ite ((_ is {z}) y) {z} ({+} ({0} x ({p} y)) x)))",
    "-": "(define-fun-rec {0} ((x {N}) (y {N})) {N} (ite ((_ is {z}) x) {z} (ite ((_ is {z}) "
    "y) x ({0} ({p} x) ({p} y)))))",
    "^": "(define-fun-rec {0} ((x {N}) (y {N})) {N} (ite ((_ is {z}) y) ({s} {z}) ({*} ({0} x ({p} y)) x)))",
    "≤": "(define-fun-rec {0} ((x {N}) (y {N})) Bool (ite ((_ is {z}) x) true (ite ((_ is {z}) "
    "y) false ({0} ({p} x) ({p} y)))))",
    "max": "(define-fun-rec {0} ((x {N}) (y {N})) {N} "
    "(ite ((_ is {z}) x) y (ite ((_ is {z}) y) x ({s} ({0} ({p} x) ({p} y))))))",
    "min": "(define-fun-rec {0} ((x {N}) (y {N})) {N} "
    "(ite ((_ is {z}) x) {z} (ite ((_ is {z}) y) {z} ({s} ({0} ({p} x) ({p} y))))))",
    "pred": "(define-fun {0} ((x {N})) {N} (ite ((_ is {z}) x) {z} ({p} x)))",
}
"""The operations on natural numbers as a datatype {N} with {z}, {s} and {p}; another operation as ``{+}``."""
INT_EQUATIONS: Final[dict[str, str]] = {
    "-": "(define-fun {0} ((x Int) (y Int)) Int (ite (<= y x) (- x y) 0))",
    "pred": "(define-fun {0} ((x Int)) Int (ite (<= x 0) 0 (- x 1)))",
    "^": "(define-fun-rec {0} ((x Int) (y Int)) Int (ite (<= y 0) 1 (* ({0} x (- y 1)) x)))",
    "/": "(define-fun {0} ((x Int) (y Int)) Int (ite (= y 0) 0 (div x y)))",
    "%": "(define-fun {0} ((x Int) (y Int)) Int (ite (= y 0) x (mod x y)))",
    "max": "(define-fun {0} ((x Int) (y Int)) Int (ite (<= x y) y x))",
    "min": "(define-fun {0} ((x Int) (y Int)) Int (ite (<= x y) x y))",
}
"""The same for numbers that are Int."""

CONNECTIVES = {"And": "and", "Or": "or", "Not": "not", "and": "and", "or": "or", "not": "not", "xor": "xor"}
CONNECTIVES |= {"Bool.and": "and", "Bool.or": "or", "Bool.not": "not", "Bool.xor": "xor", "Iff": "="}
ARITHMETIC = {"HAdd.hAdd": "+", "HSub.hSub": "-", "HMul.hMul": "*", "HDiv.hDiv": "/", "HMod.hMod": "%"}
ARITHMETIC |= {"HPow.hPow": "^", "Max.max": "max", "Min.min": "min", "Neg.neg": "neg"}
NAT_FUNCTIONS = {
    **{"Nat.add": "+", "Nat.mul": "*", "Nat.sub": "-", "Nat.pow": "^", "Nat.div": "/", "Nat.mod": "%"},
    **{"Nat.pred": "pred", "Nat.max": "max", "Nat.min": "min", "Nat.ble": "<=", "Nat.le": "<=", "Nat.lt": "<"},
}
"""Functions of natural numbers that are operations, with their signs."""
RELATIONS = {"LE.le": "<=", "LT.lt": "<", "GE.ge": ">=", "GT.gt": ">"}
"""Of numbers, with their signs."""
