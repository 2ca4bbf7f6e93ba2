"""The algorithm of [DCA] to the letter, in plain NumPy: the second route beside `formulation="odca"`.

All in the world frame about its origin: twists (w, v), wrenches (moment, force). There a rigid body has one spatial
acceleration, whichever handle asks, so that a leaf has zeta_ij = J^-1. Where the paper inverts a matrix that it takes to be
positive definite, which (42) and (66) are not, a symmetric pseudo-inverse stands; `Solution.terminal` keeps the matrix of
(42) for those who look.

Slender bodies cost digits: Upsilon_11 = zeta_11 - zeta_12 W zeta_21 is a small difference of large numbers. A second pass on
what the first left over (`passes=2`) gives them back.

A plan says how the paper's hierarchy is built: the name of a body; chain(plan, plan, ...), halved again and again; or
loop(carrier, plan), a chain that starts and ends (or just starts: a branch) at one carrier body, Figure 4. Bodies have
world-frame data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cotree as ct
from cotree.screws import closure

RANK = 1e-10  # relative to the greatest eigenvalue


# Screws


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0.0]])


def carry(C):
    """Ad_C, 6x6."""
    R, Z = C[:3, :3], np.zeros((3, 3))
    return np.block([[R, Z], [hat(C[:3, 3]) @ R, R]])


def ad(V):
    """ad_V X = [V, X], 6x6."""
    return np.block([[hat(V[:3]), np.zeros((3, 3))], [hat(V[3:]), hat(V[:3])]])


def inverse(X):
    """Of a symmetric positive semidefinite matrix: the paper's inverse where there is one, the pseudo-inverse elsewhere."""
    return np.linalg.pinv(X, rcond=RANK, hermitian=True)


# Bodies and joints of a system at a state


def inertia(body, C):
    """J, 6x6: [[R theta R^T + m c^ c^^T, m c^], [-m c^, m 1]], c the mass centre in the world."""
    p, R = body.properties, C[:3, :3]
    c = hat(R @ p.com + C[:3, 3])
    return np.block([[R @ p.inertia @ R.T + p.mass * c @ c.T, p.mass * c], [-p.mass * c, p.mass * np.eye(3)]])


def weight(body, C, gravity):
    """Wrench of gravity."""
    c = C[:3, :3] @ body.properties.com + C[:3, 3]
    force = body.properties.mass * np.asarray(gravity, dtype=float)
    return np.concatenate([np.cross(c, force), force])


@dataclass
class Joint:
    """Seen from `child` against `parent`: motion map H, its orthogonal complement D, (8), (9), and bias H-dot u of (7)."""

    name: str
    parent: str
    child: str
    H: Any
    D: Any
    bias: Any


def joint_at(connection, C, V):
    """Joint of the mechanism at poses C and spatial twists V of the bodies, by name.

    A universal joint's first screw moves with its parent; the others may be taken to move with the child, dS/dt = [V, S].
    """
    a, b, joint = connection.parent, connection.child, connection.joint
    H = carry(C[b] @ joint.frame()) @ joint.screws()
    movers = [b] * joint.dof
    if isinstance(joint, ct.Universal):
        H[:, 0], movers[0] = carry(C[a] @ joint.frame()) @ joint.screws()[:, 0], a
    u = np.linalg.lstsq(H, V[b] - V[a], rcond=None)[0]
    bias = sum((u[k] * ad(V[movers[k]]) @ H[:, k] for k in range(joint.dof)), np.zeros(6))
    D = np.linalg.svd(H)[0][:, joint.dof :] if joint.dof else np.eye(6)
    return Joint(connection.name, a, b, H, D, bias)


def regularized(D, motions):
    """Of the columns of D what the motions, a basis of the chain's algebra, can ever press against [Reg (28)]."""
    U, sizes, _ = np.linalg.svd(D.T @ motions)
    return D @ U[:, : np.count_nonzero(sizes > 1e-9)]


def from_side(joint, body):
    """(D, bias) with bias = H-dot u of the other body's acceleration against that of `body`."""
    return joint.D, joint.bias if joint.parent == body else -joint.bias


# Two-handle equations and the hierarchy


@dataclass
class Assembly:
    """A1 = z11 F1 + z12 F2 + z13, A2 = z21 F1 + z22 F2 + z23, with handles on the bodies `first` and `last`."""

    z11: Any
    z12: Any
    z21: Any
    z22: Any
    z13: Any
    z23: Any
    first: str
    last: str
    parts: Any = None  # what gives the forces inside when those at the handles are known


def leaf(name, J, push):
    """(1) to (4): J A = F1 + F2 + push, so that zeta_ij = J^-1."""
    z = np.linalg.inv(J)
    return Assembly(z, z, z, z, z @ push, z @ push, name, name)


def couple(a, b, joint):
    """(16), (20), (21), (26) to (30): two assemblies in series become one; the force between them is (19)."""
    D, bias = from_side(joint, a.last)
    X = D.T @ (b.z11 + a.z22) @ D
    W = D @ inverse(X) @ D.T
    Y = W @ (a.z23 - b.z13 + bias)
    return Assembly(
        a.z11 - a.z12 @ W @ a.z21,
        a.z12 @ W @ b.z12,
        b.z21 @ W @ a.z21,
        b.z22 - b.z21 @ W @ b.z12,
        a.z13 - a.z12 @ Y,
        b.z23 + b.z21 @ Y,
        a.first,
        b.last,
        ("series", a, b, joint, W, Y),
    )


def enclose(carrier, sub, first, last):
    """(60) to (72): a chain `sub` that hangs with both ends, or with one (last is None), on the carrier becomes part of it.

    (72) as printed lacks the factor zeta of the carrier before [D][X][K].
    """
    D4, bias4 = from_side(first, carrier.first)
    D6, bias6 = from_side(last, carrier.last) if last else (np.zeros((6, 0)), np.zeros(6))
    D = np.block([[D4, np.zeros((6, D6.shape[1]))], [np.zeros((6, D4.shape[1])), D6]])  # (69)
    zeta2 = np.block([[carrier.z11, carrier.z12], [carrier.z21, carrier.z22]])
    zeta = np.block([[sub.z11, sub.z12], [sub.z21, sub.z22]])
    matrix = D.T @ (zeta2 + zeta) @ D
    X = inverse(matrix)  # (66)
    Y = D.T @ zeta2  # (67)
    K = D.T @ np.concatenate([carrier.z13 - sub.z13 + bias4, carrier.z23 - sub.z23 + bias6])  # (68)
    total = zeta2 @ (np.eye(12) - D @ X @ Y)  # (71)
    rest = np.concatenate([carrier.z13, carrier.z23]) - zeta2 @ D @ X @ K  # (72), corrected
    return Assembly(
        total[:6, :6], total[:6, 6:], total[6:, :6], total[6:, 6:], rest[:6], rest[6:], carrier.first, carrier.last,
        ("loop", carrier, sub, first, last, D @ X @ Y, D @ X @ K, matrix),
    )  # fmt: skip


def terminal_matrix(whole, base, tip):
    """(40) to (42): chi and the right-hand side; base, tip: (D, bias) of the joints to ground."""
    (Db, bias_b), (Dt, bias_t) = base, tip
    D = np.block([[Db, np.zeros((6, Dt.shape[1]))], [np.zeros((6, Db.shape[1])), Dt]])
    zeta = np.block([[whole.z11, whole.z12], [whole.z21, whole.z22]])
    return D, D.T @ zeta @ D, -D.T @ np.concatenate([whole.z13 - bias_b, whole.z23 - bias_t])


def disassemble(node, F1, F2, A, F):
    """Fill accelerations A by body and forces F by joint (on its child) from the forces at the handles."""
    if node.parts is None:
        A[node.first] = node.z11 @ F1 + node.z12 @ F2 + node.z13
        return
    if node.parts[0] == "series":
        _, a, b, joint, W, Y = node.parts
        between = W @ a.z21 @ F1 - W @ b.z12 @ F2 + Y  # (19), on b
        F[joint.name] = between if joint.child == b.first else -between
        disassemble(a, F1, -between, A, F)
        disassemble(b, between, F2, A, F)
        return
    _, carrier, sub, first, last, DXY, DXK, _ = node.parts
    inner = DXY @ np.concatenate([F1, F2]) + DXK  # (65), on the chain
    for joint, force, end in ((first, inner[:6], sub.first), (last, inner[6:], sub.last)):
        if joint:
            F[joint.name] = force if joint.child == end else -force
    disassemble(sub, inner[:6], inner[6:], A, F)
    disassemble(carrier, F1 - inner[:6], F2 - inner[6:], A, F)  # (47), (48), (51), (52)


# From a system to the solution


def chain(*plans):
    return ("chain", *plans)


def loop(carrier, plan):
    return ("loop", carrier, plan)


@dataclass
class Solution:
    """Spatial accelerations by body, joint forces on the child by joint, matrix of (42), the assembly of all."""

    accelerations: dict
    reactions: dict
    terminal: Any
    whole: Assembly


@dataclass
class State:
    """Inertias J and what pushes each body beside its joints, W + ad_V^T J V; joints by name."""

    J: dict
    push: dict
    joints: dict

    def leaves(self):
        return {name: leaf(name, J, self.push[name]) for name, J in self.J.items()}

    def left_over(self, A, F):
        """The same bodies and joints with what accelerations A and joint forces F do not satisfy."""
        push = {n: self.push[n] - self.J[n] @ A[n] for n in self.J}
        A = {**A, "ground": np.zeros(6)}
        joints = {}
        for n, j in self.joints.items():
            joints[n] = replace(j, bias=j.bias - (A[j.child] - A[j.parent]))
            for body, sign in ((j.child, 1.0), (j.parent, -1.0)):
                if body != "ground":
                    push[body] = push[body] + sign * F[n]
        return State(self.J, push, joints)


def state_of(system, q, v, tau=None):
    """All that the algorithm needs of a system; tau (nv,) acts along the coordinates of the tree's joints."""
    mech, names = system.mechanism, ("ground", *system.body_names)
    poses, twists = ct.poses(system, q), ct.twists(system, q, v, "spatial")
    C, V = ({n: x[system.row_of(n)] for n in names} for x in (poses, twists))
    J = {n: inertia(mech.bodies[n], C[n]) for n in system.body_names}
    push = {n: weight(mech.bodies[n], C[n], mech.gravity) + ad(V[n]).T @ J[n] @ V[n] for n in J}
    joints = {n: joint_at(c, C, V) for n, c in mech.joints.items()}
    for k, name in enumerate(system.coordinate_names if tau is not None else ()):
        joint = joints[name.partition(".")[0]]
        column = [joint.name + s for s in mech.joints[joint.name].joint.coordinate_names()].index(name)
        wrench = np.linalg.pinv(joint.H)[column] * tau[k]  # H^T wrench = tau
        for body, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if body != "ground":
                push[body] = push[body] + sign * wrench
    return State(J, push, joints)


def assemble(plan, leaves, joints):
    """Hierarchic assembly, Figure 2."""
    if isinstance(plan, str):
        return leaves[plan]
    if plan[0] == "loop":
        carrier, sub = assemble(plan[1], leaves, joints), assemble(plan[2], leaves, joints)
        ends = [between(joints, carrier.first, sub.first), between(joints, sub.last, carrier.last)]
        return enclose(carrier, sub, ends[0], ends[1] if ends[1] is not ends[0] else None)
    parts = plan[1:]
    if len(parts) == 1:
        return assemble(parts[0], leaves, joints)
    half = len(parts) // 2
    a, b = assemble(chain(*parts[:half]), leaves, joints), assemble(chain(*parts[half:]), leaves, joints)
    return couple(a, b, between(joints, a.last, b.first))


def between(joints, a, b):
    """The joint of two bodies, or None."""
    return next((j for j in joints.values() if {j.parent, j.child} == {a, b}), None)


def solve(system, q, v, plan, tau=None, regularize=False, passes=1):
    """Forward dynamics. regularize: the last joint to ground holds only what the chain's algebra can press against."""
    state = state_of(system, q, v, tau)
    found = once(state, plan, regularize)
    for _ in range(passes - 1):
        more = once(state.left_over(found.accelerations, found.reactions), plan, regularize)
        for total, part in ((found.accelerations, more.accelerations), (found.reactions, more.reactions)):
            for name in total:
                total[name] = total[name] + part[name]
    return found


def once(state, plan, regularize):
    """(31) to (42) for the ends on ground, one or both of which may be missing, then hierarchic disassembly."""
    joints = state.joints
    whole = assemble(plan, state.leaves(), joints)
    base, tip = between(joints, "ground", whole.first), between(joints, "ground", whole.last)
    tip = None if tip is base else tip
    nothing = (np.zeros((6, 0)), np.zeros(6))
    sides = [from_side(j, "ground") if j else nothing for j in (base, tip)]
    if regularize and tip:
        motions = closure(np.hstack([j.H for j in joints.values()]))
        sides[1] = (regularized(sides[1][0], motions), sides[1][1])
    D, chi, rhs = terminal_matrix(whole, *sides)
    ends = D @ inverse(chi) @ rhs  # (42), (39)
    A, F = {}, {}
    for joint, force in ((base, ends[:6]), (tip, ends[6:])):
        if joint:
            F[joint.name] = force if joint.parent == "ground" else -force
    disassemble(whole, ends[:6], ends[6:], A, F)
    return Solution(A, F, chi, whole)
