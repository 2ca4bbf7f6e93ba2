"""Loop closure and other constraints, assembly, mobility."""

from cotree.constraints.faces import constraint_bias, constraint_jacobian, constraint_residual

__all__ = ["constraint_bias", "constraint_jacobian", "constraint_residual"]
