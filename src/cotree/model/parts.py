"""Bodies and joints of a mechanism, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.inertia import MassProperties
from cotree.model.joints import Joint
from cotree.model.shapes import Shape

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, as `Mechanism.body` returns it.

    Parameters
    ----------
    name : str
        Name of the body.
    properties : MassProperties
        Mass, mass centre and inertia.
    frame : ndarray of shape (4, 4) or "joints", optional
        Pose of the frame of the data: None for the world, "joints" if it follows from the
        joint frames along the tree [Geo (10)].
    shape : Shape, optional
        What is drawn and touches.

    Examples
    --------
    >>> ct.gallery.four_bar().bodies["crank"].name
    'crank'
    """

    name: str
    properties: MassProperties
    frame: Array | str | None = None
    shape: Shape | None = None

    def __repr__(self) -> str:
        return f"<Body {self.name!r}, {self.properties.mass:g} kg>"

    def __deepcopy__(self, memo: Any) -> Body:  # immutable, compared by identity
        return self


@dataclass(frozen=True, eq=False)
class Connection:
    """A joint of the mechanism: `joint` from `parent` to `child`."""

    name: str
    parent: str
    child: str
    joint: Joint

    def __repr__(self) -> str:
        return f"<{type(self.joint).__name__} {self.name!r}: {self.parent} -> {self.child}>"

    def __deepcopy__(self, memo: Any) -> Connection:
        return self
