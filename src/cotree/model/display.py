"""What pictures show besides bodies and joints: the floor, scenery fixed to ground, and paths of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ModelError
from cotree.model.checks import shown, unit, vector
from cotree.model.paint import color_of
from cotree.model.shapes import Color, Shape, given_shape, shapes_of

if TYPE_CHECKING:
    from cotree.model.parts import Body

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Floor:
    """A plane through a point; normal=None: opposite to gravity; shown=False: there is no floor."""

    point: Array
    normal: Array | None = None
    shown: bool = True


@dataclass(frozen=True, eq=False)
class Trace:
    """The path of a body-fixed point, in the frame of the body's data."""

    name: str
    body: str
    point: Array
    color: str | None = None


class Showing:
    """Methods of a mechanism for its pictures; none of them changes the motion."""

    if TYPE_CHECKING:
        name: str
        scenery_shapes: list[Any]
        traces: dict[str, Trace]
        floor_plane: Floor | None

        def _new_name(self, name: Any, what: str, *taken: Any) -> None: ...
        def _body(self, body: Body | str, who: str) -> Body: ...

    def floor(self, point: ArrayLike | None = (0.0, 0.0, 0.0), normal: ArrayLike | None = None) -> None:
        """Put the floor of pictures at a height, or leave it out.

        Parameters
        ----------
        point : array_like of shape (3,), optional
            A point of the floor in the world; None: no floor.
        normal : array_like of shape (3,), optional
            Its normal; upwards by default.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.floor((0, -2, 0))
        """
        who = f"floor of mechanism {self.name!r}"
        if point is None:
            self.floor_plane = Floor(np.zeros(3), None, False)
            return
        direction = None if normal is None else unit(vector(normal, "normal", who), "normal", who)
        self.floor_plane = Floor(vector(point, "point", who), direction)

    def scenery(self, shape: Shape | Sequence[Shape]) -> None:
        """Add shapes that are fixed to ground, for pictures only.

        Parameters
        ----------
        shape : Shape or sequence
            In world coordinates.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.scenery(ct.Box((1.25, -0.1, 0), (3, 0.1, 0.5), color="steel", opacity=0.4))
        """
        who = f"scenery of mechanism {self.name!r}"
        found = given_shape(shape, who)
        if found is None:
            raise ModelError(
                f"{who}: {shown(shape)} is not a shape; give one such as ct.Box(center, size), or a list of them"
            )
        self.scenery_shapes.extend(shapes_of(found))

    def trace(self, name: str, body: Body | str, point: ArrayLike | None = None, color: Color = None) -> Trace:
        """Draw the path of a point of a body.

        Parameters
        ----------
        name : str
            Name of the path.
        body : Body or str
            The body.
        point : array_like of shape (3,), optional
            The point, in the frame of the body's data; the mass centre by default.
        color : str, optional
            Colour of the path.

        Returns
        -------
        Trace
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.trace("coupler point", "coupler", (1.5, 1.6, 0), color="red").body
        'coupler'
        """
        self._new_name(name, "trace", self.traces)
        who = f"trace {name!r}"
        at = self._body(body, who)
        p = at.properties.com if point is None else vector(point, "point", who)
        self.traces[name] = made = Trace(name, at.name, p, color_of(color, who))
        return made
