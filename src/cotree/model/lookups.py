"""Names, bodies and joints of a mechanism, looked up for the methods that it is put together from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cotree.errors import DuplicateNameError, ForeignBodyError, ModelError, UnknownNameError
from cotree.model.checks import shown
from cotree.model.naming import check_characters, nearest
from cotree.model.parts import Body, Connection

if TYPE_CHECKING:
    from collections.abc import Container


GROUND = ("world", "ground", "earth", "fixed", "base", "frame", "inertial", "universe", "origin")  # in other programs


class LookUps:
    """Each finds something by its name, or says what is wrong with that."""

    if TYPE_CHECKING:
        name: str
        ground: Body
        bodies: dict[str, Body]
        joints: dict[str, Connection]
        springs: dict[str, Any]
        loads: dict[str, Any]
        joint_forces: dict[str, Any]
        elements: dict[str, Any]

    def _new_name(self, name: Any, what: str, *taken: Container[str]) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"the name of a {what} must be a non-empty string, got {shown(name)}")
        check_characters(name, f"a {what}")
        if any(name in names for names in taken):
            raise DuplicateNameError(f"{what} {name!r} exists already in mechanism {self.name!r}; choose another name")

    def _new_force(self, name: str, what: str) -> str:
        self._new_name(name, what, self.springs, self.loads, self.joint_forces, self.elements)
        return f"{what} {name!r}"

    def _body(self, body: Body | str, who: str) -> Body:
        name = body.name if isinstance(body, Body) else body
        found = None
        if isinstance(name, str):
            found = self.ground if name == "ground" else self.bodies.get(name)
        if isinstance(body, Body) and body is not found:
            raise ForeignBodyError(f"{who}: body {name!r} belongs to another mechanism; name one of {self.name!r}")
        if found is None:
            is_ground = isinstance(name, str) and name.lower() in GROUND
            hint = "; did you mean 'ground'?" if is_ground else nearest(name, ("ground", *self.bodies))
            raise UnknownNameError(f"{who}: no body {shown(name)} in mechanism {self.name!r}{hint}")
        return found

    def _connection(self, joint: Connection | str, who: str) -> Connection:
        name = joint.name if isinstance(joint, Connection) else joint
        found = self.joints.get(name) if isinstance(name, str) else None
        if isinstance(joint, Connection) and joint is not found:
            raise ForeignBodyError(f"{who}: joint {name!r} belongs to another mechanism; name one of {self.name!r}")
        if found is None:
            raise UnknownNameError(
                f"{who}: no joint {shown(name)} in mechanism {self.name!r}{nearest(name, self.joints)}"
            )
        return found

    @staticmethod
    def _check_coordinate(connection: Connection, coordinate: str | None, who: str, error: type[ModelError]) -> None:
        """A coordinate must be named if a joint has several, and only then."""
        names = [n.lstrip(".") for n in connection.joint.coordinate_names()]
        if connection.joint.dof == 0:
            raise error(f"{who}: joint {connection.name!r} is a weld and has no coordinate; name a joint that moves")
        if connection.joint.dof > 1 and not (isinstance(coordinate, str) and coordinate in names):
            raise error(
                f"{who}: joint {connection.name!r} has several coordinates; say which with coordinate= one of "
                f"{', '.join(map(repr, names))}"
            )
        if connection.joint.dof == 1 and coordinate is not None:
            raise error(f"{who}: joint {connection.name!r} has one coordinate only; leave coordinate out")
