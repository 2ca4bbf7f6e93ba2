"""Names as XML files can hold them: what is written must be found again by who reads it."""

from __future__ import annotations

from collections.abc import Iterable

from cotree.errors import DocumentError
from cotree.io.xml.elements import LONGEST, shown
from cotree.model.mechanism import Mechanism


def check_names(mech: Mechanism, form: str) -> None:
    """Every name must have something to see in it, and must not be longer than readers take; form: URDF or MJCF."""
    kinds: dict[str, Iterable[str]] = {
        "body": mech.bodies,
        "joint": mech.joints,
        "spring": mech.springs,
        "joint force": mech.joint_forces,
    }
    kinds |= {"load": mech.loads, "constraint": mech.constraints, "device": mech.devices}
    everyone = [(kind, name) for kind, names in kinds.items() for name in names]
    for kind, name in [("mechanism", mech.name), *everyone] if mech.name else everyone:
        if not name.strip():
            raise DocumentError(f"{kind} {name!r} has only blanks in its name, which {form} cannot express; rename it")
        if len(name) > LONGEST:
            raise DocumentError(
                f"{kind} {shown(name)} has a name of {len(name)} characters; a name in {form} has at most {LONGEST}, rename it"
            )
