"""What a stored sweep depends on: every edit of user code and every changed value is noticed, and nothing else."""

import array
import collections
import dataclasses
import decimal
import enum
import fractions
import functools
import importlib
import json
import os
import re
import subprocess
import sys
import threading
import types
import weakref
from pathlib import Path

import numba
import numpy as np
import pytest
from scipy import interpolate, stats
from scipy.spatial.transform import Rotation

import cotree as ct
from cotree.errors import StudyError, StudyWarning
from cotree.studies.sweeps.fingerprint import UNKNOWN, fingerprint
from tests.model.builders import refused
from tests.studies.sweep_rigs import acceleration, pendulum

STUDY = """
import functools, importlib, operator
import numpy as np
import numba
from scipy.interpolate import CubicSpline
import parts, parts as alias, pack
from parts import EXTRA, Base
from pack import inner
CURVE = CubicSpline([0.0, 1.0, 2.0], [0.0, 0.3, 0.0])
HOLDER = {"of modules": parts}
NEVER = 1.0
class Design(Base):
    "A class."
    length = 0.5
    def __init__(self): self._gap = 0.0
    def shift(self): return 0.25
    @staticmethod
    def fixed(): return 0.125
    @property
    def width(self): return 0.75
    @functools.cached_property
    def height(self): return 0.375
class Slotted:
    __slots__ = ("k",)
    def __init__(self): self.k = 5.5
DESIGN, SLOTTED = Design(), Slotted()
@functools.lru_cache
def cached(k): return k + 6.5
@numba.njit
def compiled(k): return k + 7.5
def wrapping(f):
    @functools.wraps(f)
    def wrapped(k): return f(k) + 8.5
    return wrapped
@wrapping
def decorated(k): return k + 9.5
def unused(k): return k + 10.5
def helper(module): return module.shift()
def by_module(k): return parts.shift() + parts.VALUE
def by_alias(k):
    local = alias
    return local.shift()
def by_package(k): return pack.inner.deep() + inner.LIST[0]
def by_import(k):
    import pack.late
    from parts import shift
    from . import nothing
    return pack.late.latest() + shift()
def by_name(k): return k + EXTRA
def by_holder(k): return HOLDER["of modules"].shift()
def by_argument(k): return helper(parts)
def by_getattr(k): return getattr(parts, "shift")()
def by_globals(k): return globals()["NEVER"]
def by_class(k): return DESIGN.length + DESIGN.shift()
def by_slots(k): return SLOTTED.k
def by_cache(k): return cached(k)
def by_numba(k): return compiled(k)
def by_decorator(k): return decorated(k)
def by_spline(k): return CURVE(k)
def by_local_class(k):
    class Local:
        value = EXTRA
    return Local.value
def by_default(k, f=parts.shift): return f()
def by_partial(k): return functools.partial(operator.add, parts.VALUE)(k)
def by_closure():
    f = parts.shift
    return lambda k: f()
"""
PARTS = """
VALUE = 1.5
EXTRA = 2.5
class Base:
    def base(self): return 3.5
def shift(): return deeper()
def deeper(): return 4.5
def __getattr__(name): return 12.5
"""
PACK = {
    "__init__.py": "",
    "inner.py": "LIST = [1.25]\ndef deep(): return 2.25\n",
    "late.py": "from . import inner\ndef latest(): return inner.deep() + 3.25\n",
}
EDITS = [
    ("by_module", "def deeper(): return 4.5", "def deeper(): return 4.6"),
    ("by_module", "VALUE = 1.5", "VALUE = 1.6"),
    ("by_alias", "return 4.5", "return 4.6"),
    ("by_package", "return 2.25", "return 2.26"),
    ("by_package", "LIST = [1.25]", "LIST = [1.26]"),
    ("by_import", "return inner.deep() + 3.25", "return inner.deep() + 3.26"),
    ("by_import", "return 2.25", "return 2.26"),
    ("by_import", "return 4.5", "return 4.6"),
    ("by_name", "EXTRA = 2.5", "EXTRA = 2.6"),
    ("by_holder", "return 4.5", "return 4.6"),
    ("by_argument", "return 4.5", "return 4.6"),
    ("by_getattr", "return 4.5", "return 4.6"),
    ("by_getattr", "return 12.5", "return 12.6"),
    ("by_globals", "NEVER = 1.0", "NEVER = 1.1"),
    ("by_class", "length = 0.5", "length = 0.6"),
    ("by_class", "return 0.25", "return 0.26"),
    ("by_class", "return 0.125", "return 0.126"),
    ("by_class", "return 0.75", "return 0.76"),
    ("by_class", "return 0.375", "return 0.376"),
    ("by_class", "return 3.5", "return 3.6"),
    ("by_class", "self._gap = 0.0", "self._gap = 0.1"),
    ("by_slots", "self.k = 5.5", "self.k = 5.6"),
    ("by_cache", "k + 6.5", "k + 6.6"),
    ("by_numba", "k + 7.5", "k + 7.6"),
    ("by_decorator", "+ 8.5", "+ 8.6"),
    ("by_decorator", "+ 9.5", "+ 9.6"),
    ("by_spline", "[0.0, 0.3, 0.0]", "[0.0, 0.4, 0.0]"),
    ("by_local_class", "EXTRA = 2.5", "EXTRA = 2.6"),
    ("by_default", "return 4.5", "return 4.6"),
    ("by_partial", "VALUE = 1.5", "VALUE = 1.6"),
    ("by_partial", "operator.add", "operator.mul"),
    ("by_closure", "return 4.5", "return 4.6"),
]  # fmt: skip


@pytest.fixture
def digests(tmp_path, monkeypatch):
    """Fingerprints of the functions of a study, written anew with some text replaced."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)

    def of(old="", new=""):
        for name in [n for n in sys.modules if n.partition(".")[0] in ("study", "parts", "pack")]:
            monkeypatch.delitem(sys.modules, name)
        (tmp_path / "pack").mkdir(exist_ok=True)
        for name, text in {"study.py": STUDY, "parts.py": PARTS, **{f"pack/{k}": x for k, x in PACK.items()}}.items():
            (tmp_path / name).write_text(text.replace(old, new) if old else text)
        importlib.invalidate_caches()
        study = importlib.import_module("study")
        functions = {name: getattr(study, name) for name in dir(study) if name.startswith("by_")}
        functions["by_closure"] = functions["by_closure"]()
        return {name: fingerprint(f) for name, f in functions.items()}

    return of


def test_edits_are_noticed(digests):
    """Wherever they are, and only by the functions that they concern."""
    before = digests()
    assert not [name for name, text in before.items() if text.startswith(UNKNOWN)]
    assert digests() == before
    for name, old, new in EDITS:
        assert digests(old, new)[name] != before[name], (name, old)
    for old, new in [("k + 10.5", "k + 10.6"), ("A class.", "Another text."), ("class Slotted", "\n\nclass Slotted")]:
        after = digests(old, new)
        assert {n: x for n, x in after.items() if n != "by_globals"} == {
            n: x for n, x in before.items() if n != "by_globals"
        }
    assert digests("VALUE = 1.5", "VALUE = 1.6")["by_name"] == before["by_name"]


class Holds:
    def __init__(self, x):
        self.x, self._cache, self.map = x, object(), {"a": [x]}

    def method(self):
        return self.x


class Slots:
    __slots__ = ("_x",)

    def __init__(self, x):
        self._x = x


@dataclasses.dataclass(slots=True)
class Data:
    x: float


class Names(set):
    pass


class Words(enum.Enum):
    one = "a"
    two = "b"


def adding(k):
    return lambda x: x + k


def spline(k):
    return [0.0, 1.0, 2.0, 3.0], [0.0, k, 0.0, 1.0]


def cached(k):
    return functools.lru_cache(adding(k))


def cycle(k):
    items = [k]
    items.append(({frozenset([1])}, items))
    return items


def linked(k):
    chain = [k]
    for _ in range(5000):
        chain = [chain]
    return chain


KINDS = {
    "attribute": Holds, "slots": Slots, "dataclass": Data, "method": lambda k: Holds(k).method, "closure": adding,
    "cache": cached, "partial": lambda k: functools.partial(adding, k), "vectorize": lambda k: np.vectorize(adding(k)),
    "numba": lambda k: numba.njit(adding(k)), "dict": lambda k: {"a": {"b": k}}, "set": lambda k: {f"{k}", "x", "y"},
    "subclass of set": lambda k: Names([f"{k}", "x"]), "set of functions": lambda k: {adding(k), adding(3)},
    "list": lambda k: [(1, [k])], "array": lambda k: np.array([[1.0, k]]), "bool": lambda k: bool(k - 1),
    "objects": lambda k: np.array([k, None], dtype=object), "masked": lambda k: np.ma.array([1, 2], mask=[k - 1, 0]),
    "scalar": np.float64, "range": range, "slice": slice, "Fraction": lambda k: fractions.Fraction(k, 7),
    "Decimal": decimal.Decimal, "Path": lambda k: Path(f"a{k}"), "pattern": lambda k: re.compile(f"a{k}"),
    "bytes": lambda k: array.array("d", [k]), "deque": lambda k: collections.deque([k]), "enum": lambda k: [*Words][k - 1],
    "namespace": lambda k: types.SimpleNamespace(k=k), "view": lambda k: types.MappingProxyType({"a": k}),
    "distribution": lambda k: stats.norm(0, k), "rotation": lambda k: Rotation.from_euler("x", k),
    "CubicSpline": lambda k: interpolate.CubicSpline(*spline(k)), "interp1d": lambda k: interpolate.interp1d(*spline(k)),
    "UnivariateSpline": lambda k: interpolate.UnivariateSpline(*spline(k), s=0),
    "make_interp_spline": lambda k: interpolate.make_interp_spline(*spline(k)),
    "Mechanism": lambda k: ct.with_parameters(ct.gallery.four_bar(), {"crank.mass": float(k)}),
    "random numbers": np.random.default_rng, "name": lambda k: [np.sin, np.cos][k - 1], "cycle": cycle, "linked": linked,
    "type": lambda k: [float, int][k - 1], "method of a builtin": lambda k: np.arange(k).sum,
    "lock": lambda k: (threading.Lock(), threading.RLock(), k), "reference": lambda k: (weakref.ref(Words), k),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_compared(kind):
    first, same, other = (fingerprint(KINDS[kind](k)) for k in (1, 1, 2))
    assert first == same != other
    assert not first.startswith(UNKNOWN)


TEXT = """
import json, sys
from tests.studies.test_fingerprint import KINDS, fingerprint
print(json.dumps({name: fingerprint(make(1)) for name, make in KINDS.items()}))
"""


def test_processes_agree():
    """The order of sets and the addresses of objects are others in each process."""
    outputs = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run([sys.executable, "-c", TEXT], env=environment, capture_output=True, text=True, check=True)
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1]


def test_versions_of_packages_count(monkeypatch):
    def build(k):
        return np.sin(k)

    before = fingerprint(build)
    monkeypatch.setattr(np, "__version__", "9.9")
    assert fingerprint(build) != before


class Refuses:
    def __reduce_ex__(self, protocol):
        raise ValueError("not mine")


class Pretends:
    def __reduce__(self):
        return "adding"


def evaluated(length):
    return pendulum(eval("length"))


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (Refuses(), f"an object of {__name__}.Refuses"),
        ({Refuses()}, f"an object of {__name__}.Refuses"),
        ((i for i in (1, 2)), "an object of builtins.generator"),
        (np.frompyfunc(adding(1), 1, 1), "an object of numpy.ufunc"),
        (Pretends(), f"adding of {__name__}"),
        (evaluated, "code that calls eval"),
    ],
)
def test_what_cannot_be_compared(what, words):
    """It is never the same, and the text says what it is."""
    first = fingerprint(what)
    assert first.startswith(f"{UNKNOWN}{words}; ")
    assert fingerprint(what) != first


def test_a_file_that_cannot_be_resumed(tmp_path):
    """It is said at the first call, and the second is refused; what is in it can be read."""
    pytest.importorskip("xarray")
    path = tmp_path / "x.sweep"
    reason = "x.sweep cannot be resumed, because build refers to what cannot be compared: code that calls eval; "
    with pytest.warns(StudyWarning, match=reason):
        first = ct.sweep(evaluated, {"length": [0.5]}, acceleration, path=path, workers=1)
    with refused(StudyError, reason, "give another path"):
        ct.sweep(evaluated, {"length": [0.5]}, acceleration, path=path, workers=1)
    assert ct.load_sweep(path).identical(first)
