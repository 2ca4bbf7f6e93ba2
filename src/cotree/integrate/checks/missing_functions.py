"""Missing user functions: an error where the motion needs them, a warning where they are taken as zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cotree.errors import MissingFunctionError, RunWarning
from cotree.integrate.checks.run_warnings import warning
from cotree.model.functions import how_to_give, lacking, missing_functions

if TYPE_CHECKING:
    from cotree.model.mechanism import Mechanism


def check_functions(mech: Mechanism) -> list[RunWarning]:
    """Raise if needed functions are missing; otherwise return a warning about those that are taken as zero."""
    uses = lacking(mech)
    if uses:
        raise MissingFunctionError(f"the motion of {mech.name!r} needs functions that are missing: {how_to_give(uses)}")
    stand_ins = missing_functions(mech)
    if not stand_ins:
        return []
    text = f"functions are missing and taken as zero: {', '.join(stand_ins)}"
    return [warning("missing", text)]


def loaded_without(mech: Mechanism) -> list[RunWarning]:
    """A warning for a run that was loaded without its functions."""
    uses = lacking(mech)
    if not uses:
        return []
    text = (
        "functions are missing, so the run cannot be resumed, and what depends on them (accelerations, reactions, whether "
        f"drives were followed) cannot be computed: {how_to_give(uses)}"
    )
    return [warning("missing", text)]
