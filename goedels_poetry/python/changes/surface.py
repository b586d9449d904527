"""What a change does to the definitions of a Python file: which stay, are laid out anew, touched, added, removed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

_MACHINERY = frozenset({"pytest", "_pytest", "unittest", "pluggy", "nose", "xdist"})
_REACHES = frozenset({"settrace", "setprofile", "_getframe", "_current_frames", "currentframe", "get_referrers"})
_ENDS = frozenset({"_exit", "abort", "kill", "killpg", "pthread_kill", "raise_signal"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or method."""

    name: str
    """With the classes around it: ``Box.size``."""
    node: FunctionNode
    shape: str
    """Its statements, whatever their layout, comments and docstring."""

    @property
    def signature(self) -> str:
        """Parameters with kinds and defaults."""
        return ast.unparse(self.node.args)

    @property
    def is_public(self) -> bool:
        """Whether no part of its name begins with an underscore."""
        return not any(part.startswith("_") for part in self.name.split("."))


@dataclass(frozen=True, slots=True)
class Surface:
    """Two versions of a file side by side."""

    form: tuple[str, ...] = ()
    """Touched in form only: layout, comments, docstring, or another place in the file."""
    touched: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    resigned: tuple[str, ...] = ()
    """Touched, and their parameters are others now."""
    outside: bool = False
    """Whether statements outside of functions have changed."""
    gone: tuple[str, ...] = ()
    """Names at the top of the file that are not there any more, functions included."""
    reaches: tuple[str, ...] = ()
    """How the new text reaches for what tests it, where the old one did not."""
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Function -> functions of the file that it names, in the new text."""

    def below(self, names: Iterable[str]) -> frozenset[str]:
        """These functions and all that they use, directly or not."""
        reached: set[str] = set()
        waiting = {name for name in names if name in self.uses}
        while waiting:
            reached |= waiting
            waiting = {other for name in waiting for other in self.uses[name]} - reached
        return frozenset(reached)


def parsed(text: str) -> ast.Module | None:
    """The tree of a text; None where it cannot be parsed."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def surface_of(before: str, after: str) -> Surface:
    """Compare two versions of a file; nothing is said of what cannot be parsed."""
    old_tree, new_tree = parsed(before), parsed(after)
    if old_tree is None or new_tree is None:
        return Surface()
    old, new = functions_of(old_tree), functions_of(new_tree)
    shared = [name for name in old if name in new]
    alike = [name for name in shared if old[name].shape == new[name].shape]
    touched = tuple(name for name in shared if name not in alike)
    old_names, new_names = names_of(old_tree), names_of(new_tree)
    return Surface(
        form=tuple(name for name in alike if _text(before, old[name]) != _text(after, new[name])),
        touched=touched,
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        resigned=tuple(name for name in touched if old[name].signature != new[name].signature),
        outside=_rest(old_tree) != _rest(new_tree),
        gone=tuple(sorted(old_names - new_names)),
        reaches=tuple(sorted(reaches(new_tree) - reaches(old_tree))),
        uses=_uses(new),
    )


def functions_of(tree: ast.Module) -> dict[str, Definition]:
    """Functions at the top of a file and methods of its classes, by qualified name; of several the last."""
    found: dict[str, Definition] = {}

    def visit(body: Iterable[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, FunctionNode):
                name = f"{prefix}{node.name}"
                found[name] = Definition(name, node, _shape(node))
            elif isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.If | ast.Try):
                visit([*node.body, *node.orelse], prefix)

    visit(tree.body, "")
    return found


def names_of(tree: ast.Module) -> set[str]:
    """Names that the statements at the top of a file bind, but for imports."""
    found = {node.name for node in tree.body if isinstance(node, FunctionNode | ast.ClassDef)}
    assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)]
    names = [node for each in assigned for node in ast.walk(each) if isinstance(node, ast.Name)]
    return found | {node.id for node in names if isinstance(node.ctx, ast.Store)}


def imported_names(text: str, module: str) -> set[str]:
    """What another file takes from a module: names that it imports, and attributes of the module that it uses."""
    tree = parsed(text)
    if tree is None:
        return set()
    last = module.rpartition(".")[2]
    found: set[str] = set()
    aliases: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if source == module or (node.level and source.rpartition(".")[2] == last):
                found |= {alias.name for alias in node.names}
            aliases |= {alias.asname or alias.name for alias in node.names if alias.name == last}
        elif isinstance(node, ast.Import):
            aliases |= {alias.asname or alias.name for alias in node.names if alias.name == module}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in aliases:
            found.add(node.attr)
    return found


def _shape(node: FunctionNode) -> str:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    kept = type(node)(**{**{name: getattr(node, name) for name in node._fields}, "body": body})
    return ast.dump(kept)


def _text(source: str, definition: Definition) -> str:
    return ast.get_source_segment(source, definition.node) or ""


def _rest(tree: ast.Module) -> list[str]:
    """What a file does besides defining functions and classes."""
    return [ast.dump(node) for node in tree.body if not isinstance(node, FunctionNode | ast.ClassDef)]


def _uses(functions: Mapping[str, Definition]) -> dict[str, frozenset[str]]:
    by_last: dict[str, set[str]] = {}
    for name in functions:
        by_last.setdefault(name.rpartition(".")[2], set()).add(name)
    found = {}
    for name, definition in functions.items():
        said = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(definition.node)}
        found[name] = frozenset({other for each in said for other in by_last.get(each, ())} - {name})
    return found


def reaches(tree: ast.AST) -> set[str]:
    """What a text has to do with the machinery of tests, or with how its own process ends."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {f"imports {a.name}" for a in node.names if a.name.partition(".")[0] in _MACHINERY}
        elif isinstance(node, ast.ImportFrom):
            if (node.module or "").partition(".")[0] in _MACHINERY:
                found.add(f"imports {node.module}")
            found |= {f"uses {a.name}" for a in node.names if a.name in _REACHES | _ENDS}
        elif isinstance(node, ast.Attribute) and node.attr in _REACHES | _ENDS:
            found.add(f"uses {node.attr}")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.lower()
            if words.partition(".")[0] in _MACHINERY or "pytest_current_test" in words:
                found.add(f"names {node.value[:40]!r}")
    return found
