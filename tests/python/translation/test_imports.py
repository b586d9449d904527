"""Files that were made to change, on import or later, what the names of a proved function mean. Each is refused."""

# ruff: noqa: E501  programs, each on its line

from __future__ import annotations

import pytest

from goedels_poetry.python.translate.contracts import OutsideFragment
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import translate

PATCH = """
import sys, functools, enum, dataclasses, collections, typing, logging, warnings
from goedels_poetry.contracts import ensures
def patch(*a, **k):
    logging.raiseExceptions = len
    return ''
class Loud(enum.Enum):
    ONE = 1
    def __str__(self):
        return patch()
class Own(ValueError):
    def __init__(self, *a):
        patch()
CODE
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
"""
ON_IMPORT = {
    "a key of max": "X = max([1, 2], key=patch)",
    "a key by another name": "p = patch\nX = sorted([2, 1], key=p)",
    "a factory": "X = collections.defaultdict(patch)['x']",
    "what a factory makes": "X = collections.defaultdict(patch)\nY = X['x']",
    "a text of an enumeration": "X = str(Loud.ONE)",
    "a text of an enumeration by another name": "Y = Loud.ONE\nX = f'{Y}'",
    "a printed enumeration": "print([Loud.ONE])",
    "a logged enumeration": "logging.warning('%s', Loud.ONE)",
    "an exception of the module": "try:\n    raise Own\nexcept ValueError:\n    pass",
    "a condition": "if patch():\n    pass",
    "the other branch": "if sys.version_info < (3,):\n    pass\nelse:\n    patch()",
    "a handler": "try:\n    import numpy\nexcept patch():\n    pass",
    "an assertion": "assert patch() == ''",
    "a comprehension": "X = [patch(i) for i in range(3)]",
    "a name of a comprehension": "X = [len([]) for len in [patch]]",
    "a called name of a comprehension": "X = [g(1) for g in [patch]]",
    "a partial that is called": "X = functools.partial(patch)()",
    "a cast that is called": "X = typing.cast(typing.Any, patch)()",
    "reduce": "X = functools.reduce(patch, [1, 2, 3])",
    "map": "X = list(map(patch, [1]))",
    "a lambda that is called": "X = (lambda: patch())()",
    "a starred call": "X = [*patch()]",
    "an attribute of a module": "logging.raiseExceptions = patch()",
    "an attribute that is set": "typing.Any = patch",
    "a builtin of a module": "print.__self__.len = patch",
    "a deleted attribute": "del typing.Any",
    "a context": "with open('x') as len:\n    pass",
    "a loop": "for x in [1]:\n    patch()",
    "warnings that are errors": "warnings.simplefilter('error')",
    "a type checker's block that runs": "TYPE_CHECKING = True\nif TYPE_CHECKING:\n    patch()",
    "a type checker's other block": "if typing.TYPE_CHECKING:\n    pass\nelse:\n    patch()",
    "typing that is something else": "class typing:\n    TYPE_CHECKING = 1\nif typing.TYPE_CHECKING:\n    patch()",
    "an unknown module": "try:\n    import evil\nexcept ImportError:\n    pass",
    "a relative import": "from . import evil",
    "a star import in a branch": "try:\n    from numpy import *\nexcept ImportError:\n    pass",
    "builtins in a function": "def g():\n    import builtins\n    builtins.len = patch",
    "a property that is not": "def property(f):\n    patch()\nclass A:\n    @property\n    def x(self): pass",
    "a property of the class": "class A:\n    def property(f):\n        patch()\n    @property\n    def x(self): pass",
    "a cache of the class": "from functools import cache\nclass A:\n    def cache(f):\n        patch()\n    @cache\n    def x(self): pass",
    "a builtin of the class": "class A:\n    def sorted(f):\n        patch()\n    x = sorted([1])",
    "a default in a class": "class A:\n    def sorted(f):\n        patch()\n    def x(self, y=sorted([1])): pass",
    "a setter of no property": "class A:\n    class x:\n        def setter(f):\n            patch()\n    @x.setter\n    def y(self): pass",
    "a decorator that calls": "def d(g):\n    g()\n    return g\n@d\ndef h(): patch()",
    "a decorator that gives what it calls": "def d(g):\n    return g()\n@d\ndef h(): patch()",
    "a decorator with a default": "def d(g):\n    def inner(x=patch()): pass\n    return inner\n@d\ndef h(): pass",
    "a decorator that is made": "def d(n):\n    return patch\n@d(3)\ndef h(): pass",
    "a decorator that is given": "def d(n):\n    return n\n@d(patch)\ndef h(): pass",
    "a decorator that is bound anew": "def d(n):\n    def w(g):\n        return g\n    w = patch\n    return w\n@d(3)\ndef h(): pass",
    "a decorator that decorates": "def d(n):\n    @patch\n    def w(g):\n        return g\n    return w\n@d\ndef h(): pass",
    "wraps of a parameter": "class E:\n    def wraps(x):\n        return patch\ndef d(functools):\n    def w(g):\n"
    "        @functools.wraps(g)\n        def i(): pass\n        return i\n    return w\n@d(E)\ndef h(): pass",
    "wraps of a parameter, inside": "class E:\n    def wraps(x):\n        return patch\n@E\ndef e(): pass\ndef d(functools):\n"
    "    @functools.wraps(functools)\n    def i(): pass\n    return i\n@d\nclass E: pass",
    "wraps with what is computed": "def d(g):\n    @functools.wraps(g, assigned=patch())\n    def w(): pass\n    return w\n@d\ndef h(): pass",
    "a decorator that is replaced": "def d(g):\n    return g\nd = patch\n@d\ndef h(): pass",
    "a field that is made": "@dataclasses.dataclass\nclass A:\n    x: int = dataclasses.field(default=patch())",
    "a class of a package that reads texts": "import pydantic\nclass A(pydantic.BaseModel):\n    x: 'patch()' = 1",
    "a class of a package with methods": "import pydantic\nclass A(pydantic.BaseModel):\n    def __get_validators__(): patch()",
    "a decorator of a package that reads texts": "import pytest\n@pytest.fixture\ndef h(x: 'patch()'): pass",
    "a strategy that is made": "import hypothesis.strategies as st\nfrom hypothesis import given\n@given(st.builds(patch).example())\ndef h(x): pass",
    "a decorator of an object": "import flask\napp = flask.Flask(__name__)\n@app.route('/')\ndef h(): pass",
    "sys.modules": "X = sys.modules.get('builtins')",
    "a metaclass in a branch": "try:\n    pass\nfinally:\n    class A(metaclass=patch): pass",
    "a subclass of what is made": "class A(collections.namedtuple('P', patch())): pass",
    "a property of a member": "PROPERTY\nX = E.A.x",
    "a property of a member by another name": "PROPERTY\nB = E.A\nX = B.x",
    "a property in an annotation": "PROPERTY\ndef g(x: E.A.x): pass",
    "a property that is a default": "PROPERTY\ndef g(x=E.A.x): pass",
    "a property that is caught": "PROPERTY\ntry:\n    pass\nexcept E.A.x:\n    pass",
    "a property that is a base": "PROPERTY\nclass G(E.A.x): pass",
    "a property of a class": "class E:\n    @classmethod\n    @property\n    def x(c): patch()\nX = E.x",
    "a cached property": "class E(enum.Enum):\n    A = 1\n    @functools.cached_property\n    def x(s): patch()\nX = E.A.x",
    "an order in an annotation": "ORDER\ndef g(x: E.A < E.A): pass",
    "an order that is a default": "ORDER\ndef g(x=E.A < E.A): pass",
    "an order that a decorator gets": "ORDER\n@functools.lru_cache(E.A < E.A)\ndef g(x): pass",
    "an order that is a base": "ORDER\nclass G(E.A < E.A): pass",
    "a truth value that is a default": "class E(enum.Enum):\n    A = 1\n    def __bool__(s): patch()\ndef g(x=not E.A): pass",
    "a text that is a default": "def g(x=f'{Loud.ONE}'): pass",
    "what members begin with": "class M:\n    def __init__(s, v): patch()\nclass E(M, enum.Enum):\n    A = 1",
    "what makes members": "class M:\n    def __new__(c, v): return patch()\nclass N(M): pass\nclass E(N, enum.Enum):\n    A = 1",
    "an operator of members": "class M:\n    def __or__(s, v): patch()\nclass E(M, enum.Enum):\n    A = 1\nX = E.A | E.A",
    "an element of members": "if 1:\n    class M:\n        def __getitem__(s, v): patch()\nclass E(M, enum.Enum):\n    A = 1\nX = E.A[0]",
    "a pattern": "def g():\n    match f:\n        case object(__globals__=names):\n            names['len'] = patch",
    "a metaclass that is called": "import abc\n@abc.ABCMeta('X', (), {'__init__': patch})\ndef h(): pass",
    "a metaclass of enumerations that is called": "X = enum.EnumMeta('X', (), {'__init__': patch})",
    "a class that is made": "@dataclasses.make_dataclass('X', ['a'], namespace={'__init__': patch})\ndef h(): pass",
    "a decorator of the contracts' package": "import goedels_poetry\n@goedels_poetry.GoedelsPoetryFramework\ndef h(): pass",
    "a decorator that is an attribute": "class A:\n    d = patch\n@A.d\ndef h(): pass",
    "a dispatch on the first argument": "@functools.singledispatch\ndef h(x): pass\n@h.register(patch())\ndef i(x): pass",
    "an argument of a contract that is called": "class A:\n    @ensures(patch())\n    def h(): pass",
    "a default of a condition": "class A:\n    @ensures(lambda x=patch(): x)\n    def h(): pass",
    "what a class gives for an index": "class A:\n    __class_getitem__ = patch\ndef h(x: A[0]): pass",
    "what a class does to a subclass": "class A:\n    __init_subclass__ = patch\nclass B(A): pass",
    "a factory that is asked": "X = collections.defaultdict(patch)\nY = X[0]",
    "the truth value of a member": "class E(enum.Enum):\n    A = 1\n    def __bool__(s): patch()\nX = 1 if E.A else 2",
    "the hash of a member": "class E(enum.Enum):\n    A = 1\n    def __hash__(s): return patch()\nX = {E.A: 1}",
    "the text of a member that is a default": "class E(enum.Enum):\n    A = 1\n    def __repr__(s): return patch()\n@dataclasses.dataclass\nclass B:\n    x: E = E.A",
    "a call that a comparison needs": "X = [1] < sorted([patch()])",
    "a star in a display": "X = [*map(patch, [1])]",
    "an assignment in a test": "if (X := patch()):\n    pass",
    "an item that is assigned": "X = {}\nX['a'] = patch()",
    "an augmented assignment": "X = 1\nX += patch()",
    "an augmented assignment of modules": "m = sys.modules\nm |= {'x': 1}",
    "an alias of a type in a branch that is not run": "if 1 > 2:\n    from typing import Set as list",
    "a match": "match patch():\n    case _:\n        pass",
    "the code of a function": "def h():\n    f.__code__ = patch.__code__",
    "the defaults of a function": "def h():\n    f.__defaults__ = (1,)",
    "the names of the module": "def h():\n    globals()['len'] = patch",
    "the attributes of a module": "def h():\n    setattr(sys, 'x', patch)",
    "a name with underscores in a text": "def h():\n    getattr(f, '__globals__')['len'] = patch",
    "modules, elsewhere": "def h():\n    sys.modules['x'] = patch",
    "modules, imported by name": "from sys import modules\ndef h():\n    modules['x'] = patch",
    "a logger that is set up": "logging.basicConfig()",
    "a setter of another class's property": "class A:\n    @property\n    def x(self): pass\nclass x:\n    def setter(f):\n        patch()\n@x.setter\ndef h(): pass",
    "a setter before its property": "class x:\n    def setter(f):\n        patch()\nclass A:\n    @x.setter\n    def y(self): pass\n    @property\n    def x(self): pass",
    "a class method of a cached property": "from functools import cached_property as cp\n@dataclasses.dataclass\nclass A:\n    x: int\n    @classmethod\n    @cp\n    def x(c): patch()",
    "an index of a package of others": "import numpy\ndef h(x: numpy.ndarray[patch]): pass",
    "an operator of a package of others": "import sympy\nX = sympy.Symbol\nY = X | patch",
    "the file's own decorator": "def d(g):\n    return g\n@d\ndef h(): pass",
}
QUIET = {
    "literals": "X = [1, -2, ('a', None)]\nY = {'a': {1, 2}}\nZ = 2 * 10 ** 3 + len('ab')",
    "a data class": "@dataclasses.dataclass(frozen=True, order=True)\nclass A:\n    x: int = 1\n    ys: list[int] = dataclasses.field(default_factory=list)",
    "an enumeration": "class E(enum.Enum):\n    A = enum.auto()\n    B = enum.auto()\nD = {E.A: 1}\ndef h(x: E = E.B): pass",
    "types": "T = typing.TypeVar('T', bound='A')\nclass A(typing.Generic[T]): pass\nB = A[int] | None\ndef h(x: typing.Callable[[int], A[T]]) -> B: pass",
    "caches": "@functools.cache\ndef h(n): return n\n@functools.lru_cache(maxsize=None)\ndef i(n): return n",
    "methods": "class A:\n    def __init__(self, x): self.x = x\n    @property\n    def y(self): return self.x\n    @staticmethod\n    def z(): pass",
    "contracts": "@ensures(lambda result, n: result > n)\ndef h(n: int) -> int: return n + 1",
    "imports": "if typing.TYPE_CHECKING:\n    from .own import Thing\ntry:\n    import numpy\nexcept ImportError:\n    numpy = None",
    "types of a package of others": "import numpy\ndef h(x: numpy.ndarray[numpy.float64]) -> numpy.float64 | None: pass",
    "the main program": "if __name__ == '__main__':\n    patch()",
    "an exception": "class Bad(ValueError):\n    'Bad.'",
}
PROPERTY = "class E(enum.Enum):\n    A = 1\n    @property\n    def x(s): return patch()"
ORDER = "class E(enum.Enum):\n    A = 1\n    def __lt__(s, other): return patch()"
CONSTANT = """
import sys
from goedels_poetry.contracts import ensures
XS = [1, 2]
CODE
@ensures(lambda result: result == 2)
def f(n: int) -> int:
    return len(XS)
"""
CHANGED = {
    "append": "def g():\n    XS.append(3)",
    "append by its class": "def g():\n    list.append(XS, 3)",
    "an element": "def g():\n    XS[0] = 3",
    "a slice": "def g():\n    XS[:] = []",
    "an element that is deleted": "def g():\n    del XS[0]",
    "the name": "def g():\n    global XS\n    XS = []",
    "the name that is deleted": "del XS",
    "an augmented assignment": "XS += [3]",
    "a later definition": "def XS():\n    pass",
    "an import": "from math import pi as XS",
    "a branch": "if sys.platform == 'linux':\n    XS = [3]",
    "a loop": "def g():\n    global XS\n    for XS in []:\n        pass",
    "another name": "ys = XS\ndef g():\n    ys.append(3)",
    "a walrus": "def g():\n    (ys := XS).append(3)",
    "a default": "def g(ys=XS):\n    ys.append(3)",
    "an argument": "def g(ys):\n    ys.append(3)\ndef h():\n    g(XS)",
    "a result": "def g():\n    return XS",
    "a generator's result": "def g():\n    yield XS",
    "a part of something": "def g():\n    return [XS]",
    "a choice": "def g():\n    (XS or []).append(3)",
    "an operand": "def g(other):\n    return other == XS",
    "a parameter called len": "def g(len):\n    len(XS)",
    "a builtin that is imported": "def g():\n    from operator import iadd as sum\n    sum(XS)",
    "the module": "def g():\n    sys.modules[__name__].XS.append(3)",
    "the module by getattr": "def g():\n    getattr(getattr(sys, 'mod' + 'ules')[__name__], 'X' + 'S').append(3)",
    "the names of the module": "def g():\n    vars(sys.modules[__name__])['XS'].append(3)",
    "modules by another name": "from sys import modules as m\ndef g():\n    m[__name__].__dict__['XS'].append(3)",
    "the frame": "def g():\n    sys._getframe().f_globals['XS'].append(3)",
    "the module, imported by itself": "def g():\n    import program\n    program.XS.append(3)",
    "the names of a function": "def g():\n    h = f\n    h.__globals__['XS'].append(3)",
    "the smallest of several": "def g():\n    min(XS, [5]).append(3)",
    "the largest of several": "def g():\n    max([0], XS).append(3)",
    "the sum of nothing": "def g():\n    sum([], XS).append(3)",
    "a copied iterator": "def g():\n    import copy\n    seen = {}\n    copy.deepcopy(reversed(XS), seen)\n    seen[id(seen)][0].append(3)",
    "a pattern of a class": "def g(m):\n    match m:\n        case object(XS=ys):\n            ys.append(3)",
    "a pattern of modules": "def g():\n    match sys:\n        case object(modules=m):\n            m[__name__]",
    "an iterator": "def g():\n    zip(XS).__reduce__()[1][0].append(3)",
    "a pattern": "def g():\n    match XS:\n        case ys:\n            ys.append(3)",
    "a method that is kept": "def g():\n    add = XS.append\n    add(3)",
    "a lambda": "g = lambda: XS.append(3)",
    "a class": "class A:\n    ys = XS",
}


def refused(source: str) -> bool:
    try:
        translate(read_program(source), "f")
    except OutsideFragment:
        return True
    return False


@pytest.mark.parametrize("code", ON_IMPORT.values(), ids=ON_IMPORT.keys())
def test_a_file_that_runs_its_own_code_on_import_is_refused(code: str) -> None:
    assert refused(PATCH.replace("CODE", code.replace("PROPERTY", PROPERTY).replace("ORDER", ORDER)))


@pytest.mark.parametrize("code", QUIET.values(), ids=QUIET.keys())
def test_definitions_imports_and_literals_run_nothing(code: str) -> None:
    assert not refused(PATCH.replace("CODE", code))


@pytest.mark.parametrize("code", CHANGED.values(), ids=CHANGED.keys())
def test_a_list_of_the_module_that_may_be_changed_is_no_constant(code: str) -> None:
    assert refused(CONSTANT.replace("CODE", code))
