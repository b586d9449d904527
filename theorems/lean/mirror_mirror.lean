namespace Forest

inductive Tree (α : Type) where
  | leaf : Tree α
  | node : Tree α → α → Tree α → Tree α

variable {α : Type}

def Tree.mirror : Tree α → Tree α
  | .leaf => .leaf
  | .node l x r => .node r.mirror x l.mirror

/-- Looking into a mirror twice changes nothing. -/
theorem mirror_mirror (t : Tree α) : t.mirror.mirror = t := by
  sorry

end Forest
