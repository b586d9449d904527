"""What declared datatypes are like together: their order, whether they have values, and no more than there can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from goedels_poetry.kernel.components import components
from goedels_poetry.kernel.problem import Constructor, Datatype
from goedels_poetry.kernel.terms import Sort


def order_datatypes(datatypes: Mapping[Sort, tuple[Constructor, ...]]) -> tuple[Datatype, ...]:
    """Datatypes in dependency order, numbered by group of mutual recursion."""

    def mentioned(sort: Sort) -> Iterable[Sort]:
        return (part for c in datatypes[sort] for _, s in c.fields for part in sort_parts(s) if part in datatypes)

    return tuple(
        Datatype(sort, datatypes[sort], number)
        for number, group in enumerate(components(datatypes, mentioned))
        for sort in group
    )


def sort_parts(sort: Sort) -> Iterable[Sort]:
    """``sort`` and the sorts that it is made of."""
    yield sort
    for arg in sort.args:
        yield from sort_parts(arg)


def uninhabited(datatypes: Iterable[Datatype]) -> Datatype | None:
    """A datatype without a single finite value, or None. Arrays have values when their indices and elements do."""
    empty = {d.sort: d for d in datatypes}

    def has_value(sort: Sort) -> bool:
        return empty.keys().isdisjoint(sort_parts(sort))

    changed = True
    while changed:
        changed = False
        for datatype in list(empty.values()):
            if any(all(has_value(s) for _, s in c.fields) for c in datatype.constructors):
                del empty[datatype.sort]
                changed = True
    return next(iter(empty.values()), None)


def indexed_by_itself(datatypes: Sequence[Datatype]) -> Datatype | None:
    """A datatype that holds arrays over itself, or None: there are more such arrays than it could have values."""
    groups = {d.sort: d.group for d in datatypes}

    def is_indexed(datatype: Datatype) -> bool:
        parts = [part for c in datatype.constructors for _, s in c.fields for part in sort_parts(s)]
        indices = [inner for part in parts if part.name == "Array" for inner in sort_parts(part.args[0])]
        return any(groups.get(sort) == datatype.group for sort in indices)

    return next((d for d in datatypes if is_indexed(d)), None)
