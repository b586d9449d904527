"""What runs in a worker process when a Python file is read: its contracts, and the theorem that they are."""

from __future__ import annotations

import hashlib
from typing import Any

from goedels_poetry.protocol.trials import UNTRANSLATED
from goedels_poetry.python.hints import hints_of
from goedels_poetry.python.testing.checks import checks_of
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import Program, read_program, with_contracts
from goedels_poetry.python.translate.translate import python_arguments, translate
from goedels_poetry.smt.jobs import symbolic

Json = dict[str, Any]

NO_CONTRACT = "no function of the file has a contract"
HINT = "decorate one with @requires(...) and @ensures(...) from goedels_poetry.contracts, deal or icontract"


def functions(payload: Json) -> Json:
    """The functions of ``source`` that have a contract, in order; none for a text that `read` refuses."""
    try:
        return {"functions": list(with_contracts(read_program(payload["source"])))}
    except PythonFault:
        return {"functions": []}


def read(payload: Json) -> Json:
    """The theorem about one function of a file.

    Args:
        payload: ``source``; ``function``, "" for the only one with a contract.

    Returns:
        ``ok``; then ``checks``, ``lines`` of what is ensured, ``statement``, ``warnings``, ``smt`` ("" where there is
        no translation, and ``outside`` says why) with ``theory``, ``key`` and ``empty`` as `read` of SMT. Not ok:
        ``message``, ``line``, ``column``, ``hint``.
    """
    try:
        program = read_program(payload["source"])
        name = _which(program, payload["function"])
        if (unread := program.functions[name].fault) is not None:
            raise unread
    except PythonFault as fault:
        return {"ok": False, "message": fault.message, "line": fault.line, "column": fault.column, "hint": fault.hint}
    function = program.functions[name]
    contract = function.contract
    said = [f"requires {clause.text}" for clause in contract.requires]
    said += [f"ensures {clause.text}" for clause in contract.ensures]
    said += [f"may raise {r.exception}" + (f" where {r.when.text}" if r.when else "") for r in contract.raises]
    found = {
        "ok": True,
        "checks": checks_of(program, name).to_json(),
        "statement": f"{name}({', '.join(p.name for p in function.parameters)}): {'; '.join(said)}",
        "lines": {f"ensures {clause.text}": clause.line for clause in contract.ensures},
        "warnings": [],
        "outside": "",
        "theory": "python",
        "key": hashlib.sha256(f"{name}\n{payload['source']}".encode()).hexdigest()[:20],
        "empty": False,
        "smt": "",
        "hints": [],
        "seconds": 0.0,
    }
    try:
        translation = translate(program, name)
        text = translation.text
    except OutsideFragment as why:
        place = f"line {why.line}: " if why.line is not None else ""
        outside = f"{place}{why.message}"
        return {**found, "outside": outside, "warnings": [f"{UNTRANSLATED}{outside}"]}
    theorem = symbolic.read({"theorem": text})
    if not theorem["ok"]:
        return {**found, "outside": f"its translation cannot be read: {theorem['message']}"}
    kept = {name: theorem[name] for name in ("theory", "key", "empty", "seconds")}
    return {**found, **kept, "smt": text, "hints": hints_of(translation)}


def arguments(payload: Json) -> Json:
    """The ``values`` that a solver found for a ``function`` of ``source``, as ``arguments``; {} where they are none."""
    translation = translate(read_program(payload["source"]), payload["function"])
    values = payload["values"]
    try:
        return {"arguments": python_arguments(translation, values.get("values", values))}
    except (KeyError, ValueError):
        return {"arguments": {}}


def _which(program: Program, function: str) -> str:
    names = with_contracts(program)
    if function:
        if function not in program.functions:
            raise PythonFault(f"there is no function {function} at the top of the file", 1, 1, _listed(names))
        if function not in names:
            raise PythonFault(f"{function} has no contract", program.functions[function].line, 1, HINT)
        return function
    if not names:
        raise PythonFault(NO_CONTRACT, 1, 1, HINT)
    if len(names) > 1:
        raise PythonFault("several functions have contracts", 1, 1, f"name one: FILE:{names[0]}")
    return names[0]


def _listed(names: tuple[str, ...]) -> str:
    return f"functions with contracts: {', '.join(names)}" if names else HINT
