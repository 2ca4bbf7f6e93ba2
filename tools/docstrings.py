"""Docstrings of public names in NumPy's form: checked by numpydoc, so that editors and `help` can show parameters, results and
errors. Prints what is missing and fails if anything is."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import cotree as ct

CLASSES = (ct.Mechanism, ct.System, ct.Run, ct.Stepper, ct.BatchStepper)
RETURNED = ("Run", "System", "Transition")  # not made by users: attributes instead of parameters
PENDING = ()  # names that are being written
WITHOUT_EXAMPLE = ("view", "transition")  # what opens a browser; a value that a function of the same name returns
LEFT_OUT = {
    "GL01": "the text begins in the line of the quotes, as everywhere in the package",
    "GL08": "reported below, with the name",
    "ES01": "a summary is often enough",
    "SA01": "not everything has relatives",
    "SA04": "names in See Also may stand alone",
    "PR03": "pairs such as body_a, body_b may be described together",
    "PR08": "a description may begin with a formula",
    "PR09": "a description may end with an equation's number",
    "RT02": "types of results may have shapes",
    "RT05": "a description may end with an equation's number",
    "YD01": "no generators",
}


def members() -> Iterator[tuple[str, Any]]:
    """Public names and the methods and properties of the main classes."""
    for name in (*ct.__all__, *(f"theory.{n}" for n in ct.theory.__all__)):
        yield name, functools.reduce(getattr, name.split("."), ct)
    for cls in CLASSES:
        for name, member in inspect.getmembers(cls):
            if name[0] != "_" and is_documented(member):
                yield f"{cls.__name__}.{name}", member


def is_documented(member: Any) -> bool:
    """Whether a member of a class is a method or property, and not a table."""
    return inspect.isfunction(member) or isinstance(member, property) or hasattr(member, "func")


def errors(name: str, member: Any) -> list[str]:
    """What numpydoc finds in one docstring."""
    from numpydoc.validate import validate

    if not inspect.getdoc(member):
        return [f"{name}: has no docstring"]
    called = inspect.isfunction(member) or inspect.isclass(member)
    skipped = set(LEFT_OUT)
    if not called or name.split(".")[-1].lower() in WITHOUT_EXAMPLE:
        skipped |= {"EX01"}
    if name in RETURNED:
        skipped |= {"PR01"}
    if not called:
        skipped |= {"SS05", "RT01"}
    return [f"{name}: {code} {text}" for code, text in validate(f"cotree.{name}")["errors"] if code not in skipped]


def main() -> int:
    offences = [line for name, member in members() if name not in PENDING for line in errors(name, member)]
    print("\n".join(offences) or "docstrings: clean")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
