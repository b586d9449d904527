import Lean
open Lean Meta Elab

/-- A declaration as it stands, unchecked where Lean's kernel lets one skip it: inductive types never. -/
def add (d : Declaration) : TermElabM Unit := do
  match (← getEnv).addDeclCore 0 d none (doCheck := false) with
  | .ok env => setEnv env
  | .error e => throwError "{e.toMessageData {}}"

def done : TermElabM Expr := return .const ``True.intro []

def con (n : Name) (us : List Level := []) : Expr := .const n us
def all (n : Name) (t b : Expr) : Expr := .forallE n t b .default
def fn (n : Name) (t b : Expr) : Expr := .lam n t b .default

def define (n : Name) (t v : Expr) : TermElabM Unit :=
  add (.defnDecl { name := n, levelParams := [], type := t, value := v, hints := .abbrev, safety := .safe })

def prove (n : Name) (t v : Expr) : TermElabM Unit :=
  add (.thmDecl { name := n, levelParams := [], type := t, value := v })

def family (ps : Nat) (types : List InductiveType) (us : List Name := []) : TermElabM Unit :=
  add (.inductDecl us ps types false)

