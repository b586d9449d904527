-- A hidden value that is a variable of nothing: the type checker takes it for one of its own (lean4#14484). No data come of it.
-- lean: refuse, second: refuse, of: bad

theorem go : True := by_elab do
  let value := Expr.fvar { name := .num `_kernel_fresh 3 }
  add (.opaqueDecl { name := `bad, levelParams := [], type := con ``False, value := value, isUnsafe := false, all := [`bad] })
  done
