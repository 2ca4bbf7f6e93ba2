"""Ready studies: questions that take several runs to answer."""

from cotree.studies.emergency_stop import EmergencyStop, Stop, emergency_stop
from cotree.studies.swept import Swept, swept

__all__ = ["EmergencyStop", "Stop", "Swept", "emergency_stop", "swept"]
