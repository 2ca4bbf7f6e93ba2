"""Contacts: pairs of shapes, one file per family, registered in `PAIRS`."""

from cotree.constraints.contacts import ball_on_plane as ball_on_plane
