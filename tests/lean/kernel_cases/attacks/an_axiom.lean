-- An axiom of one's own: Lean's kernel adds it, a stranger may not.
-- lean: accept, second: refuse, of: bad

axiom magic : False
theorem bad : 1 = 2 := magic.elim
