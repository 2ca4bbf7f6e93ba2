"""The same tree as a Pinocchio model, and the way between the two sets of coordinates.

Each joint becomes one or two Pinocchio joints of the same motion, or a row of one-dof joints for coordinates of the second
kind. Velocities are related by v_pin = T(q) v, accelerations by a_pin = T a + T_dot v; T is the identity up to order
and sign but for joints told against the tree, SO(3) x R3, first-kind and Cayley coordinates. Nothing of cotree's own
algebra is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation

import cotree as ct
from tests.random_mechanisms import JointData, TreeData, act, dofs_of, inverse, pose

# pin joints of each group joint, and the components (w1 w2 w3 v1 v2 v3) of the body twist in the order of pin's velocity
GROUP_JOINTS = {
    "Cylindrical": (("JointModelRZ", "JointModelPZ"), (2, 5)),
    "Spherical": (("JointModelSpherical",), (0, 1, 2)),
    "Planar": (("JointModelPlanar",), (3, 4, 2)),
    "PlanarTranslation": (("JointModelPX", "JointModelPY"), (3, 4)),
    "Translation": (("JointModelTranslation",), (3, 4, 5)),
    "Schoenflies": (("JointModelPlanar", "JointModelPZ"), (3, 4, 2, 5)),
    "Free": (("JointModelFreeFlyer",), (3, 4, 5, 0, 1, 2)),
}
SWAP = [3, 4, 5, 0, 1, 2]


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def hat4(X):
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = hat(X[:3]), X[3:]
    return out


def vee4(A):
    return np.array([A[2, 1], A[0, 2], A[1, 0], *A[:3, 3]])


def Ad(C):
    R = C[:3, :3]
    return np.block([[R, np.zeros((3, 3))], [hat(C[:3, 3]) @ R, R]])


def ad(X):
    return np.block([[hat(X[:3]), np.zeros((3, 3))], [hat(X[3:]), hat(X[:3])]])


def group_coordinates(kind, N):
    """Pinocchio's q of a relative pose."""
    (x, y, z), angle = N[:3, 3], np.arctan2(N[1, 0], N[0, 0])
    turn = [np.cos(angle), np.sin(angle)]
    quaternion = Rotation.from_matrix(N[:3, :3]).as_quat()
    return {
        "Cylindrical": [angle, z], "Spherical": quaternion, "Planar": [x, y, *turn], "PlanarTranslation": [x, y],
        "Translation": [x, y, z], "Schoenflies": [x, y, *turn, z], "Free": [x, y, z, *quaternion],
    }[kind]  # fmt: skip


def expm(A):
    """Exponential of a small matrix: Taylor's series, halving and squaring (scipy's waits for threads at this size)."""
    halvings = max(0, int(np.ceil(np.log2(max(np.abs(A).sum(axis=1).max(), 1e-300)))) + 1)
    A = A / 2.0**halvings
    total = term = np.eye(len(A))
    for k in range(1, 19):
        term = term @ A / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


def phi(A):
    """(exp A - I) / A."""
    n = len(A)
    return expm(np.block([[A, np.eye(n)], [np.zeros((n, 2 * n))]]))[:n, n:]


@dataclass
class PinJoint:
    """How one joint's coordinates are translated."""

    data: JointData
    kind: str  # coordinates in use
    joint: object
    own: list[int]  # places in v
    place: int  # first place in q
    direct: bool  # velocities of SO(3) x R3

    def q_pin(self, q):
        if self.kind == "second":
            x = q[self.place : self.place + len(self.own)]
            return x[::-1] if self.data.backward else x
        N = self.relative_pose(q)
        return group_coordinates(self.data.kind, inverse(N) if self.data.backward else N)

    def screws(self):
        return np.eye(6)[:, list(self.joint.free)]

    def relative_pose(self, q):
        """Child against parent in the joint frame."""
        n, i = len(self.own), self.place
        if self.kind == "first":
            return expm(hat4(self.screws() @ q[i : i + n]))
        if self.kind == "cayley":
            X = 0.5 * hat4(self.screws() @ q[i : i + n])
            return np.linalg.solve(np.eye(4) - X, np.eye(4) + X)
        N, turns = np.eye(4), sum(c < 3 for c in self.joint.free)
        if turns == 3:
            N[:3, :3] = Rotation.from_quat(q[i : i + 4], scalar_first=True).as_matrix()
        elif turns == 1:
            N[:3, :3] = Rotation.from_rotvec([0, 0, q[i]]).as_matrix()
        i += 4 if turns == 3 else turns
        for k, c in enumerate(c for c in self.joint.free if c >= 3):
            N[c - 3, 3] = q[i + k]
        return N

    def body_map(self, q, v):
        """(B, B_dot): v to the twist of the child against the parent in the child's joint frame."""
        Z, n, i = self.screws(), len(self.own), self.place
        if self.kind == "first":
            A, dA = -ad(Z @ q[i : i + n]), -ad(Z @ v)
            both = phi(np.block([[A, dA], [np.zeros((6, 6)), A]]))
            return both[:6, :6] @ Z, both[:6, 6:] @ Z
        if self.kind == "cayley":
            X, dX = 0.5 * hat4(Z @ q[i : i + n]), 0.5 * hat4(Z @ v)
            P, Q = np.linalg.inv(np.eye(4) + X), np.linalg.inv(np.eye(4) - X)
            ys = [hat4(z) for z in Z.T]
            B = [vee4(P @ y @ Q) for y in ys]
            dB = [vee4(P @ y @ Q @ dX @ Q - P @ dX @ P @ y @ Q) for y in ys]
            return np.array(B).T, np.array(dB).T
        if not self.direct:
            return Z, np.zeros_like(Z)
        R = self.relative_pose(q)[:3, :3].T
        return block_diag(np.eye(3), R), block_diag(np.zeros((3, 3)), -hat(v[:3]) @ R)

    def transformation(self, q, v):
        """(T, T_dot) of this joint."""
        n = len(self.own)
        if self.kind == "second":
            T = np.eye(n)[::-1] if self.data.backward else np.eye(n)
            return T, np.zeros((n, n))
        B, dB = self.body_map(q, v)
        if self.data.backward:  # the motion is N^-1, its body twist -Ad_N V
            A = Ad(self.relative_pose(q))
            B, dB = -A @ B, -A @ (ad(B @ v) @ B + dB)
        order = list(GROUP_JOINTS[self.data.kind][1])
        return B[order], dB[order]


class PinTree:
    """Model and data of Pinocchio for a tree, with translated coordinates."""

    def __init__(self, tree: TreeData, system: ct.System) -> None:
        self.system, self.model, self.joints = system, pin.Model(), list[PinJoint]()
        self.model.gravity.linear = tree.gravity
        self.carrier, self.frame_of, self.G = {"ground": 0}, {"ground": 0}, {"ground": np.eye(4)}
        frames = tree.frames()
        for j in depth_first(tree):
            self._add_joint(j, j.joint(frames), frames)
            self._add_body(tree.body(j.outer))
        self.data = self.model.createData()

    def _add_joint(self, j: JointData, joint, frames) -> None:
        if j.kind == "Weld":
            self.carrier[j.outer], self.G[j.outer] = self.carrier[j.inner], self.G[j.inner]
            return
        on_parent, on_child = joint_frames(j, joint, frames)
        near, far = (on_child, on_parent) if j.backward else (on_parent, on_child)
        own = dofs_of(self.system, j.name)
        link = self.system.links[self.system.dofs[own[0]]["link"]]
        kind = "second" if joint.dof == 1 or joint.kind == "second" else joint.kind
        place = int(self.system.dofs[own[0]]["iq"]) if kind == "second" else int(link["iq"])
        direct = j.kind == "Free" and self.system.group == "SO3xR3"
        self.joints.append(PinJoint(j, kind, joint, own, place, direct))
        placement = inverse(self.G[j.inner]) @ near
        last = self.carrier[j.inner]
        for i, part in enumerate(parts(j, joint, kind)):
            name = f"{j.name} {i}"
            last = self.model.addJoint(last, part, se3(placement if i == 0 else np.eye(4)), name)
        self.carrier[j.outer], self.G[j.outer] = last, far

    def _add_body(self, body) -> None:
        carrier, G = self.carrier[body.name], self.G[body.name]
        R = G[:3, :3]
        own = pin.Inertia(body.mass, act(inverse(G), body.com), R.T @ body.inertia @ R)
        self.model.appendBodyToJoint(carrier, own, pin.SE3.Identity())
        frame = pin.Frame(body.name, carrier, se3(inverse(G) @ body.pose), pin.FrameType.OP_FRAME)
        self.frame_of[body.name] = self.model.addFrame(frame)

    def q(self, q):
        parts = [np.asarray(j.q_pin(q), dtype=float) for j in self.joints]
        return np.concatenate(parts)

    def transformation(self, q, v):
        """(T, T_dot), nv x nv."""
        T, dT = np.zeros((self.model.nv, self.system.nv)), np.zeros((self.model.nv, self.system.nv))
        row = 0
        for j in self.joints:
            block = np.ix_(range(row, row + len(j.own)), j.own)
            T[block], dT[block] = j.transformation(q, v[j.own])
            row += len(j.own)
        return T, dT


def depth_first(tree: TreeData) -> list[JointData]:
    """Joints with the whole of each branch together, as Pinocchio's matrix algorithms need them."""
    found, stack = [], ["ground"]
    while stack:
        body = stack.pop()
        found += [j for j in tree.joints if j.outer == body]
        stack += [j.outer for j in tree.joints if j.inner == body]
    return found


def parts(j: JointData, joint, kind: str) -> list:
    """Pinocchio's joints for one of ours."""
    if kind != "second":
        return [getattr(pin, name)() for name in GROUP_JOINTS[j.kind][0]]
    found = [screw_joint(z, -1.0 if j.backward else 1.0) for z in joint.screws().T]
    return found[::-1] if j.backward else found


def screw_joint(z, sign: float):
    """One-dof joint of a unit screw through the origin of the joint frame, possibly turned round."""
    w, v = z[:3], z[3:]
    if not w.any():
        return pin.JointModelPrismaticUnaligned(sign * v)
    if not v.any():
        return pin.JointModelRevoluteUnaligned(sign * w)
    return pin.JointModelHelicalUnaligned(sign * w, float(w @ v))


def joint_frames(j: JointData, joint, frames) -> tuple[np.ndarray, np.ndarray]:
    """World pose of the joint frame on the user's parent and child; they differ for free joints told by a pose."""
    G = j.told
    if j.kind == "Free":
        on_parent = frames[j.parent] if G is None or j.sides == "child" else G
        on_child = frames[j.child] if G is None or j.sides == "parent" else G
        return (on_parent if joint.kind in ("group", "quaternion") else on_child), on_child
    F = joint.frame() if G is None else G @ joint.frame()
    if G is None and j.kind in ("Spherical", "Translation"):
        F = pose(frames[j.child][:3, :3], F[:3, 3])
    return F, F


def se3(C):
    return pin.SE3(C[:3, :3], C[:3, 3])
