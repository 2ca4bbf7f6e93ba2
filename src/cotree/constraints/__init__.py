"""Loop closure and other constraints, assembly, mobility."""

from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.constraints.faces import constraint_bias, constraint_jacobian, constraint_rate, constraint_residual
from cotree.constraints.mobility import Mobility, mobility

__all__ = [
    "Mobility", "assemble", "consistent_velocity", "constraint_bias", "constraint_jacobian", "constraint_rate",
    "constraint_residual", "mobility",
]  # fmt: skip
