"""Random formulas as text, in which let, match, quantifiers and names that shadow each other stand anywhere."""

import random

SCRIPT = """(declare-datatypes ((N 0)) (((z) (s (p N)))))
(declare-datatypes ((E 0)) (((e1) (e2) (e3))))
(declare-datatypes ((W 0)) (((w1 (wa E) (wb Bool)) (w2 (wc N) (wd E)) (w3))))
(declare-const a Int) (declare-const |b c| Bool) (declare-fun f (Int E) Int) (declare-fun g (Bool) E)
(declare-const x N) (declare-const y W)
(define-fun h ((a E) (x Bool)) Bool (match a ((e1 x) (x (not (= x e2))))))
(define-fun k ((y Int) (f Int)) Int (let ((y f) (f y)) (- y (* 2 f))))
"""
NAMES = ["a", "x", "y", "f", "g", "z1", "p", "|b c|", "h", "x1", "a1", "y1"]
CASES = {
    "N": [("z", []), ("s", ["N"])],
    "E": [("e1", []), ("e2", []), ("e3", [])],
    "W": [("w1", ["E", "Bool"]), ("w2", ["N", "E"]), ("w3", [])],
}
LEAVES = {"Bool": ["true", "false"], "E": ["e1", "e2"], "Int": ["0", "1", "(- 1)"], "N": ["z"], "W": ["w3"]}
LEAVES["Real"] = ["0.5", "2", "(/ 1 3)", "(- 3)"]
FORMS = {
    "Bool": [
        "(= Int Int)",
        "(= Real Real)",
        "(= W W)",
        "(distinct E E E)",
        "(=> Bool Bool Bool)",
        "(and Bool Bool)",
        "(< Int Int Int)",
        "(<= Real Real)",
        "((_ is w2) W)",
        "(h E Bool)",
        "(not Bool)",
        "(or Bool Bool)",
    ],
    "Int": ["(f Int E)", "(k Int Int)", "(- Int)", "(+ Int Int)", "(to_int Real)"],
    "Real": ["(+ Real Real)", "(to_real Int)", "(/ Real 4)", "(- Real)"],
    "E": ["(g Bool)", "(wa W)", "(wd W)"],
    "N": ["(s N)", "(p N)", "(wc W)"],
    "W": ["(w1 E Bool)", "(w2 N E)"],
}


class Writer:
    """Writes formulas over what `SCRIPT` declares."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def term(self, sort: str, env: dict[str, str], depth: int) -> str:
        rng = self.rng
        known = [n for n, s in env.items() if s == sort]
        if depth <= 0 or rng.random() < 0.15:
            return rng.choice(known if known and rng.random() < 0.8 else LEAVES[sort])
        kind = rng.randrange(8)
        if kind < 2:
            new = {n: rng.choice(list(LEAVES)) for n in rng.sample(NAMES, rng.randint(1, 3))}
            bindings = " ".join(f"({n} {self.term(s, env, depth - 1)})" for n, s in new.items())
            return f"(let ({bindings}) {self.term(sort, {**env, **new}, depth - 1)})"
        if kind < 4:
            return self.match(sort, env, depth)
        if kind == 4 and sort == "Bool":
            new = {n: rng.choice(["Bool", "E"]) for n in rng.sample(NAMES, rng.randint(1, 2))}
            binders = " ".join(f"({n} {s})" for n, s in new.items())
            return f"({rng.choice(['forall', 'exists'])} ({binders}) {self.term('Bool', {**env, **new}, depth - 1)})"
        form = rng.choice([t for t in FORMS[sort] if t.strip("(").split()[0] not in env] or LEAVES[sort])
        words = form.replace("(", " ( ").replace(")", " ) ").split()
        return " ".join(self.term(w, env, depth - 1) if w in LEAVES else w for w in words)

    def match(self, sort: str, env: dict[str, str], depth: int) -> str:
        rng = self.rng
        over = rng.choice(list(CASES))
        cases = rng.sample(CASES[over], len(CASES[over]))
        kept = rng.randint(1, len(cases))
        rows = []
        for constructor, sorts in cases[:kept]:
            new = dict(zip(rng.sample(NAMES, len(sorts)), sorts, strict=True))
            pattern = f"({constructor} {' '.join(new)})" if sorts else constructor
            rows.append(f"({pattern} {self.term(sort, {**env, **new}, depth - 1)})")
        if kept < len(cases):
            name = rng.choice(NAMES)
            rows.append(f"({name} {self.term(sort, {**env, name: over}, depth - 1)})")
        return f"(match {self.term(over, env, depth - 1)} ({' '.join(rows)}))"
