-- A partial definition: what Lean makes of it has a hidden value.
-- lean: accept, second: refuse, of: walk

partial def walk (n : Nat) : Nat := walk (n + 1)
