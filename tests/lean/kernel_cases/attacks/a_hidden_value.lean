-- A constant with a hidden value.
-- lean: accept, second: refuse, of: bad

opaque hidden : Nat := 3
theorem bad : hidden = hidden := rfl
