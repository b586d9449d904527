"""Functions that keep their contracts, although that cannot be seen from elsewhere; each in three styles of contracts.

They use chance, clocks, state, files, identity, closures, and more memory or stack than a test may have.
"""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Kept:
    """``steady``: whether all runs with an input come to the same; None where that depends on the machine."""

    name: str
    signature: str
    body: str
    ensures: tuple[str, ...]
    requires: str = ""
    before: str = ""
    raises: str = ""
    steady: bool | None = True

    def texts(self) -> dict[str, str]:
        """The program by the style of its contract."""
        names = [part.split(":")[0].strip() for part in self._parameters()]
        given, both = ", ".join(names), ", ".join(["result", *names])
        ours = [f"@requires(lambda {given}: {self.requires})"] if self.requires else []
        ours += [f"@ensures(lambda {both}: {text})" for text in self.ensures]
        ours += [f"@raises({self.raises})"] if self.raises else []
        other = [
            line.replace("@requires", "@icontract.require").replace("@ensures", "@icontract.ensure") for line in ours
        ]
        told = [f"pre: {self.requires}"] if self.requires else []
        told += [f"post: {text.replace('result', '__return__')}" for text in self.ensures]
        head = "from goedels_poetry.contracts import ensures, raises, requires"
        texts = {"ours": self._text([head], ours, []), "icontract": self._text(["import icontract"], other, [])}
        texts["docstring"] = self._text([], [], ['"""', *told, '"""'])
        return {"ours": texts["ours"]} if self.raises else texts

    def _text(self, head: list[str], decorators: list[str], docstring: list[str]) -> str:
        inside = [f"    {line}" for line in (*docstring, *self.body.split("\n"))]
        return "\n".join([*head, self.before, *decorators, f"def {self.signature}:", *inside, ""])

    def _parameters(self) -> list[str]:
        found, depth = [""], 0
        for letter in self.signature[self.signature.index("(") + 1 : self.signature.rindex(") ->")]:
            depth += (letter in "[(") - (letter in "])")
            if letter == "," and not depth:
                found.append("")
            else:
                found[-1] += letter
        return [part for part in found if part.strip()]


KEPT = [
    Kept(**{**kept, "ensures": tuple(kept["ensures"])})
    for kept in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
]
