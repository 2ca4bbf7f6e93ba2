"""Loop closure and other constraints, assembly, mobility."""

from cotree.constraints.api import constraint_bias, constraint_jacobian, constraint_rate, constraint_residual
from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.constraints.assembly_modes import AssemblyModes, assembly_modes
from cotree.constraints.jacobian_rate import constraint_jacobian_rate
from cotree.constraints.joint_gaps import joint_gaps
from cotree.constraints.loop_cuts import Regularization, regularization
from cotree.constraints.mobility import Mobility, mobility
from cotree.constraints.motion_of_bodies import MotionAlgebra, motion_algebra
from cotree.constraints.nonholonomy import is_holonomic, object_of_nonholonomy
from cotree.constraints.redundancy import redundant_rows

__all__ = [
    "AssemblyModes", "Mobility", "MotionAlgebra", "Regularization", "assemble", "assembly_modes", "consistent_velocity",
    "constraint_bias", "constraint_jacobian", "constraint_jacobian_rate", "constraint_rate", "constraint_residual",
    "is_holonomic", "joint_gaps", "mobility", "motion_algebra", "object_of_nonholonomy", "redundant_rows", "regularization",
]  # fmt: skip
