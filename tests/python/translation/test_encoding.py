"""A file is decoded as CPython decodes it; where a text may be another program for CPython, nothing is proved."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from goedels_poetry.cli.inputs import Source, Unreadable, read
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import decode_source, read_program
from goedels_poetry.python.translate.translate import translate

HEAD = "from goedels_poetry.contracts import ensures\n"
UTF7 = (
    f"{HEAD}@ensures(lambda result: result == 3)\ndef f(n: int) -> int:\n    x = 3 # +AAo    x +AD0 4\n    return x\n"
)
LINES = {
    "plain": "# coding: utf-7\n",
    "in the second line": "\n# vim: set fileencoding=utf-7 :\n",
    "behind a separator of groups": "# \x1c\x1c# coding: utf-7\n",
    "behind a vertical tab": "# \x0b\x1d# coding=utf-7\n",
    "behind a next line": "# \x85\n# coding: utf-7\n",
    "behind a line that ends in a carriage return": "\r# coding: utf-7\n",
    "behind an empty line with a form feed": " \f\n\t\f# coding: utf-7\n",
    "in capitals": "# -*- CODING: UTF_7 -*-\n# -*- coding: UTF_7 -*-\n",
    "of an unknown codec": "# coding: klingon\n",
    "of a codec of bytes": "# coding: hex\n",
}


def result_in_cpython(path: Path) -> object:
    spec = importlib.util.spec_from_file_location("encoded", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f(0)


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_a_text_that_says_it_is_encoded_otherwise_is_not_translated(line: str) -> None:
    with pytest.raises(OutsideFragment, match="encoded in"):
        translate(read_program(line + UTF7), "f")


@pytest.mark.parametrize(
    "line", ["# coding: utf-8\n", "# coding: latin-1\n", "#!/usr/bin/python\n# coding: ascii\n", ""]
)
def test_a_text_that_is_the_same_either_way_is(line: str) -> None:
    assert translate(read_program(line + UTF7), "f").text


def test_a_file_is_decoded_as_cpython_decodes_it(tmp_path: Path) -> None:
    for number, line in enumerate(["# coding: utf-7\n", "\r# coding: utf-7\n"]):
        file = tmp_path / f"seven{number}.py"
        file.write_bytes((line + UTF7.replace("@ensures(lambda result: result == 3)\n", "")).encode())
        assert result_in_cpython(file) == 4
        names: dict[str, object] = {}
        exec(compile(decode_source(file.read_bytes()), "f.py", "exec"), names)
        assert names["f"](0) == 4  # type: ignore[operator]
    text = "# coding: latin-1\nWORD = 'é'\n"
    assert decode_source(text.encode("latin-1")) == text
    assert decode_source(b"\xef\xbb\xbfx = 1\n") == "x = 1\n"


@pytest.mark.parametrize(
    ("data", "place"), [(b"x = 1\ny = '\xff'\n", "2:6"), (b"# coding: klingon\n", "1:1"), (b"# coding: hex\n", "1:1")]
)
def test_a_file_that_cannot_be_decoded_is_refused_with_its_place(data: bytes, place: str, tmp_path: Path) -> None:
    with pytest.raises(PythonFault):
        decode_source(data)
    file = tmp_path / "f.py"
    file.write_bytes(data)
    with pytest.raises(Unreadable) as refused:
        read(Source(str(file), Path("f")))
    assert refused.value.reason.startswith(f"{place}: ")
