"""Model files: `load` and `save`; the extension says in which form."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec

from cotree.errors import ChoiceError, DocumentError, ShapeError
from cotree.io import mjcf
from cotree.io.atomic import encodable, write_utf8
from cotree.io.native import (
    constraint_structs,
    fields,
    force_structs,
    joint_structs,
    shape_structs,
    structs,
    switch_structs,
)
from cotree.io.native.bounded import read_utf8
from cotree.io.native.building import Functions, build
from cotree.io.native.describing import plain
from cotree.io.native.error_paths import complaint, located
from cotree.io.native.texts import JSON, TOML, YAML, Syntax
from cotree.io.paths import path_of
from cotree.io.robots.building import Imported
from cotree.io.sdf import import_sdf
from cotree.io.step import EXTENSIONS as STEP
from cotree.io.urdf import import_urdf, urdf_text
from cotree.model.checks import flag, flag_or_none, shown
from cotree.model.mechanism import Mechanism

NATIVE = {".json": JSON, ".yaml": YAML, ".yml": YAML, ".toml": TOML}


def load(
    path: str | Path,
    functions: Functions | None = None,
    missing: str = "raise",
    *,
    floating: bool | None = None,
    loops: str | Path | bool | None = None,
    limits: bool = False,
    friction: bool = False,
    contacts: bool = False,
) -> Mechanism:
    """Read a mechanism from a model file or a robot file.

    Parameters
    ----------
    path : str or path
        Model file (.json, .yaml, .toml), or robot (.urdf, .sdf, .xml for MJCF).
    functions : dict, optional
        {name: function} of the Python functions that the file refers to.
    missing : str, optional
        Without one of them: "raise"; "zero", so that forces vanish and driven coordinates
        stay; or "late", an error where one is called.
    floating : bool, optional
        Of robots: whether the base moves freely.
    loops : str, path or bool, optional
        Of robots: a file with loops, or whether those of the file are read.
    limits : bool, optional
        Of robots: whether the limits of joints become stops.
    friction : bool, optional
        Of robots: whether dry friction of joints is kept.
    contacts : bool, optional
        Of robots: whether collision shapes are read as contacts.

    Returns
    -------
    Mechanism
        The mechanism; `mech.notes` says what was changed.

    Raises
    ------
    DocumentError
        For errors in the file, with their places.
    MissingFunctionError
        If a function is missing.

    See Also
    --------
    save : Write such a file.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/four_bar.json"
    >>> ct.save(ct.gallery.four_bar(), path)
    >>> ct.load(path).name
    'four-bar'
    """
    file = path_of(path, "load(path)")
    read = _of_extension({**READERS, **ROBOTS}, file, "read")
    stops, floating = flag(limits, "limits"), flag_or_none(floating, "floating")
    rubs, touches = flag(friction, "friction"), flag(contacts, "contacts")
    if read in ROBOTS.values():
        return _robot(file, read, floating, loops, stops, rubs, touches)
    if floating is not None or loops is not None or stops or rubs or touches:
        raise ChoiceError(
            f"{file.name!r}: floating, loops, limits, friction and contacts apply to robot files (.urdf, .sdf, .xml) only; "
            "leave them out"
        )
    with located(file.name):
        return read(read_utf8(file), functions, missing)


def _robot(
    file: Path, read: Any, floating: bool | None, loops: Any, stops: bool, rubs: bool, touches: bool
) -> Mechanism:
    """The mechanism of a robot's file; where friction is kept no warning says that it is not."""
    if rubs:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r".*(frictionloss|dry friction) of joints")
            found = read(file, floating, loops)
    else:
        found = read(file, floating, loops)
    with located(file.name):
        if stops:
            found.with_limits()
        if rubs:
            found.with_friction()
        if touches:
            found.with_contacts()
        return cast(Mechanism, found.mechanism)


def save(mech: Mechanism, path: str | Path) -> None:
    """Write a mechanism to a file.

    Parameters
    ----------
    mech : Mechanism
        Functions in Python are noted by name only.
    path : str or path
        Model file (.json, .yaml, .toml), or .urdf or .xml (MJCF) where the format can
        represent the mechanism.

    Raises
    ------
    DocumentError
        If the format cannot represent it.

    See Also
    --------
    load : Read it again.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/four_bar.yaml"
    >>> ct.save(ct.gallery.four_bar(), path)
    >>> ct.load(path).name
    'four-bar'
    """
    file = path_of(path, "save(mech, path)")
    write = _of_extension(WRITERS, file, "write")
    write_utf8(file, write(mech))


def to_json(mech: Mechanism) -> str:
    """A mechanism as JSON text."""
    return write_text(JSON, mech)


def from_json(text: str, functions: Functions | None = None, missing: str = "raise") -> Mechanism:
    """The mechanism of a JSON text; see `load`."""
    return read_text(JSON, text, functions, missing)


def write_text(syntax: Syntax, mech: Mechanism) -> str:
    """A mechanism in one of the native forms."""
    if not isinstance(mech, Mechanism):
        raise ShapeError(f"only a Mechanism can be saved, got {shown(mech)}; for a System give system.mechanism")
    data = plain(mech)
    with encodable(syntax.name):
        msgspec.json.encode(data)  # YAML would write halves of characters in a form that others cannot read
    return syntax.write({"last_key": "end", **data, "end": {}} if syntax.may_be_cut else data)


def read_text(syntax: Syntax, text: str, functions: Functions | None, missing: str) -> Mechanism:
    """The mechanism of a text in one of the native forms."""
    raw = syntax.read(text)
    try:
        document = msgspec.convert(raw, structs.Document)
    except msgspec.ValidationError as error:
        raise complaint(error, raw, known_words()) from None
    if document.last_key == "end" and document.end is None:
        raise DocumentError(
            "the file is truncated: its last key 'end' is missing; get it again, or remove last_key if nothing else "
            "is missing"
        )
    return build(document, functions, missing)


def known_words() -> set[str]:
    """Names of all fields and types, for hints at misspelt ones."""
    words: set[str] = set()
    for module in (constraint_structs, force_structs, joint_structs, shape_structs, structs, switch_structs):
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, fields.Node):
                words |= {*kind.__struct_encode_fields__, str(kind.__struct_config__.tag)}
    return words - {"None"}


Reader = Callable[[str, Functions | None, str], Mechanism]
READERS: dict[str, Reader] = {extension: partial(read_text, syntax) for extension, syntax in NATIVE.items()}
WRITERS: dict[str, Callable[[Mechanism], str]] = {e: partial(write_text, syntax) for e, syntax in NATIVE.items()}
WRITERS |= {".urdf": urdf_text, ".xml": mjcf.mjcf_text}


def _load_urdf(file: Path, floating: bool | None, loops: str | Path | bool | None) -> Imported:
    return import_urdf(file, floating, loops)


def _load_sdf(file: Path, floating: bool | None, loops: str | Path | bool | None) -> Imported:
    if loops is not None:
        raise ChoiceError(f"{file.name!r}: an SDF file contains its loops; leave loops out")
    return import_sdf(file, floating)


def _load_mjcf(file: Path, floating: bool | None, loops: str | Path | bool | None) -> mjcf.Imported:
    if loops is not None:
        raise ChoiceError(f"{file.name!r}: an MJCF file contains its loops; leave loops out")
    return mjcf.import_mjcf(file, floating=floating)


ROBOTS = {".urdf": _load_urdf, ".sdf": _load_sdf, ".xml": _load_mjcf}


def _of_extension(table: dict[str, Any], file: Path, verb: str) -> Any:
    """The entry for a file's extension."""
    kind = table.get(file.suffix.lower())
    if kind is None and file.suffix.lower() in STEP and verb == "read":
        raise ChoiceError(
            f"{file.name!r}: a STEP file has solids but no joints, so it is not a mechanism yet; confirm the joints "
            f"that its faces suggest: ct.read_step({file.name!r}, density=...).mechanism(ground=..., joints=[...])"
        )
    if kind is None:
        known = ", ".join(table)
        raise ChoiceError(f"{file.name!r}: cannot {verb} files of type {file.suffix!r}; known types are {known}")
    return kind
