"""Ready studies: questions that take several runs to answer."""

from cotree.studies.emergency_stop import EmergencyStop, Stop, emergency_stop
from cotree.studies.equilibrium import Equilibrium, equilibrium
from cotree.studies.fitting import Fit, fit
from cotree.studies.floquet import Floquet, floquet
from cotree.studies.linear_along import linearize_along
from cotree.studies.linearization import Linearization, linearize
from cotree.studies.optimizing import Optimum, optimize
from cotree.studies.reaching import Reached, inverse_kinematics
from cotree.studies.sensitivity import Sensitivities, sensitivities
from cotree.studies.singularities import Singularities, singularities
from cotree.studies.steady import SteadyMotion, steady_motion
from cotree.studies.sweeps import load_sweep, sobol_indices, sweep
from cotree.studies.swept import Swept, swept
from cotree.studies.tolerancing import Tolerances, tolerances

__all__ = [
    "EmergencyStop", "Equilibrium", "Fit", "Floquet", "Linearization", "Optimum", "Reached", "Sensitivities",
    "Singularities", "SteadyMotion", "Stop", "Swept", "Tolerances", "emergency_stop", "equilibrium", "fit", "floquet",
    "inverse_kinematics", "linearize", "linearize_along", "load_sweep", "optimize", "sensitivities", "singularities",
    "sobol_indices", "steady_motion", "sweep", "swept", "tolerances",
]  # fmt: skip
