"""Contacts: pairs of shapes, one file per family of points, registered in `PAIRS`."""

from cotree.constraints.contacts import ball_on_plane as ball_on_plane
from cotree.constraints.contacts import pairs_of_guides as pairs_of_guides
from cotree.constraints.contacts import pairs_of_solids as pairs_of_solids
