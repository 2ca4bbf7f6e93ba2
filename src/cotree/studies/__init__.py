"""Ready studies: questions that take several runs to answer."""

from cotree.studies.emergency_stop import EmergencyStop, Stop, emergency_stop
from cotree.studies.equilibrium import Equilibrium, equilibrium
from cotree.studies.fitting import Fit, fit
from cotree.studies.floquet import Floquet, floquet
from cotree.studies.functions import DynamicsFunction, Jacobian, Residual, dynamics_function, jacobian, residual
from cotree.studies.least_effort import LeastEffort, least_effort
from cotree.studies.linear_along import linearize_along
from cotree.studies.linearization import Linearization, linearize
from cotree.studies.optimizing import Optimum, optimize
from cotree.studies.reaching import Reached, inverse_kinematics
from cotree.studies.reading_derivatives import reading_derivatives
from cotree.studies.sensitivity import Sensitivities, sensitivities
from cotree.studies.singularities import Singularities, singularities
from cotree.studies.steady import SteadyMotion, steady_motion
from cotree.studies.sweeps import load_sweep, sobol_indices, sweep
from cotree.studies.swept import Swept, swept
from cotree.studies.tolerancing import Tolerances, tolerances

__all__ = [
    "DynamicsFunction", "EmergencyStop", "Equilibrium", "Fit", "Floquet", "Jacobian", "LeastEffort", "Linearization", "Optimum",
    "Reached", "Residual", "Sensitivities", "Singularities", "SteadyMotion", "Stop", "Swept", "Tolerances",
    "dynamics_function", "emergency_stop", "equilibrium", "fit", "floquet", "inverse_kinematics", "jacobian",
    "least_effort", "linearize", "linearize_along", "load_sweep", "optimize", "reading_derivatives", "residual",
    "sensitivities", "singularities",
    "sobol_indices", "steady_motion", "sweep", "swept", "tolerances",
]  # fmt: skip
