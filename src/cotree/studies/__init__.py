"""Ready studies: questions that take several runs to answer."""

from cotree.studies.emergency_stop import EmergencyStop, Stop, emergency_stop
from cotree.studies.equilibrium import Equilibrium, equilibrium
from cotree.studies.linearization import Linearization, linearize
from cotree.studies.reaching import Reached, inverse_kinematics
from cotree.studies.steady import SteadyMotion, steady_motion
from cotree.studies.swept import Swept, swept

__all__ = [
    "EmergencyStop", "Equilibrium", "Linearization", "Reached", "SteadyMotion", "Stop", "Swept", "emergency_stop",
    "equilibrium", "inverse_kinematics", "linearize", "steady_motion", "swept",
]  # fmt: skip
