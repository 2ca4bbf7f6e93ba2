"""Ready studies: questions that take several runs to answer."""

from cotree.studies.emergency_stop import EmergencyStop, Stop, emergency_stop
from cotree.studies.linearization import Linearization, linearize
from cotree.studies.singularities import Singularities, singularities
from cotree.studies.swept import Swept, swept

__all__ = [
    "EmergencyStop", "Linearization", "Singularities", "Stop", "Swept", "emergency_stop", "linearize", "singularities", "swept",
]  # fmt: skip
