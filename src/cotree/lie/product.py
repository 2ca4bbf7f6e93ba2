"""Products of groups: a configuration as a row of poses, each factor SE(3) or SO(3) x R3.

Factor by factor the group operations are those of `se3` or `direct`; `spatial` marks with True the factors of SE(3).
"""

from cotree.engine.kernel import kernel
from cotree.lie import direct, se3
from cotree.lie.storage import pose, put_pose, put_twist, twist


@kernel
def move(X, Phi, spatial, out):
    """out = X exp(Phi); rows of 12 and of 6."""
    for i in range(X.shape[0]):
        A, P = pose(X[i]), twist(Phi[i])
        if spatial[i]:
            put_pose(out[i], se3.compose(A, se3.exp(P)))
        else:
            put_pose(out[i], direct.compose(A, direct.exp(P)))


@kernel
def difference(X, Y, spatial, out):
    """out = log(X^-1 Y), the step that leads from X to Y."""
    for i in range(X.shape[0]):
        A, B = pose(X[i]), pose(Y[i])
        if spatial[i]:
            put_twist(out[i], se3.log(se3.compose(se3.inverse(A), B)))
        else:
            put_twist(out[i], direct.log(direct.compose(direct.inverse(A), B)))


@kernel
def dexp_body_inv(Phi, V, spatial, out):
    """out = dexp_body_inv(Phi) V, the right-hand side of Munthe-Kaas methods."""
    for i in range(Phi.shape[0]):
        P, W = twist(Phi[i]), twist(V[i])
        if spatial[i]:
            put_twist(out[i], se3.dexp_body_inv(P, W))
        else:
            put_twist(out[i], direct.dexp_body_inv(P, W))
