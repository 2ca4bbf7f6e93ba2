"""A second program for rigid bodies with joints, as short as it can be, that shares nothing with the package.

Newton's and Euler's equations in absolute coordinates (mass centres, quaternions), joints by products of vectors that must
vanish, multipliers by least squares (so that redundant equations do no harm), SciPy's DOP853 without any stabilization.
Slow, and it drifts; but there is little in it that could be wrong in the same way as in the package.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import cotree as ct

Array = NDArray[np.float64]
Row = tuple[str, int, int, Array, Array]


def normals(e: Array) -> tuple[Array, Array]:
    """Two unit vectors at right angles to e and to each other."""
    a = np.cross(e, np.eye(3)[np.abs(e).argmin()])
    a /= np.linalg.norm(a)
    return a, np.cross(e, a) / np.linalg.norm(e)


class Bodies:
    """Masses, joints, springs, springs and dampers of joints, rotors and constant motor torques of a mechanism, read from its
    description."""

    def __init__(self, mech: ct.Mechanism) -> None:
        names = list(mech.bodies)
        self.index = {"ground": -1, **{name: i for i, name in enumerate(names)}}
        properties = [mech.bodies[name].properties for name in names]
        self.n = len(names)
        self.mass = np.array([p.mass for p in properties])
        self.com = np.array([p.com for p in properties])
        self.inertia = np.array([p.inertia for p in properties])
        self.light = bool(self.mass.min() <= 0.0 or np.linalg.eigvalsh(self.inertia).min() <= 1e-15)
        self.gravity = np.asarray(mech.gravity, dtype=float)
        self.rows: list[Row] = []
        for j in mech.joints.values():
            self._join(self.index[j.parent], self.index[j.child], j.joint)
        self.springs = list(mech.springs.values())
        forces = [(f, mech.joints[f.joint]) for f in mech.joint_forces.values()]
        self.motors = [(f, j) for f, j in forces if f.torque is not None]
        self.turned = [(f, j) for f, j in forces if f.stiffness or f.damping]
        self.rotors = [(f.inertia * f.ratio**2, j) for f, j in forces if f.inertia]

    def _join(self, a: int, b: int, joint: Any) -> None:
        def vector(x: Any) -> Array:
            v = np.asarray(x, dtype=float)
            return v / np.linalg.norm(v)

        kind = type(joint).__name__
        p = np.asarray(joint.point, dtype=float) if kind != "Weld" else np.zeros(3)
        if kind in ("Revolute", "Spherical", "Universal", "Weld"):
            self.rows.append(("point", a, b, p, p))
        if kind in ("Revolute", "Prismatic"):
            e = vector(joint.axis)
            s, t = normals(e)
            self.rows += [("turn", a, b, e, s), ("turn", a, b, e, t)]
            if kind == "Prismatic":
                self.rows += [("turn", a, b, s, t), ("slide", a, b, s, p), ("slide", a, b, t, p)]
        elif kind == "Universal":
            self.rows.append(("turn", a, b, vector(joint.axis1), vector(joint.axis2)))
        elif kind == "Weld":
            x, y, z = np.eye(3)
            self.rows += [("turn", a, b, x, y), ("turn", a, b, y, z), ("turn", a, b, z, x)]
        elif kind != "Spherical":
            raise ValueError(f"no rows are written for a joint of kind {kind}")

    def solve(self, w: Array, u: Array, t_end: float, tolerance: float, method: str = "DOP853") -> Any:
        """Dense solution from the reference assembly with these angular velocities and velocities of the mass centres."""
        quaternion = np.tile([0.0, 0.0, 0.0, 1.0], (self.n, 1))
        start = np.concatenate([self.com.ravel(), quaternion.ravel(), u.ravel(), w.ravel()])
        return solve_ivp(
            lambda t, y: self._rates(y), (0.0, t_end), start, method=method, rtol=tolerance, atol=tolerance, dense_output=True
        )  # fmt: skip

    def split(self, y: Array) -> tuple[Array, Array, Array, Array]:
        n = self.n
        c, quaternion, u, w = np.split(y, [3 * n, 7 * n, 10 * n])
        return c.reshape(n, 3), quaternion.reshape(n, 4), u.reshape(n, 3), w.reshape(n, 3)

    def _rates(self, y: Array) -> Array:
        c, quaternion, u, w = self.split(y)
        R = Rotation.from_quat(quaternion).as_matrix()
        I = R @ self.inertia @ R.transpose(0, 2, 1)
        force, moment = self.mass[:, None] * self.gravity, -np.cross(w, np.einsum("nij,nj->ni", I, w))
        self._apply(c, R, u, w, force, moment)
        J, bias = self._constraints(c, R, u, w)
        x, s = quaternion[:, :3], quaternion[:, 3:]
        turning = 0.5 * np.hstack([s * w + np.cross(w, x), -np.sum(w * x, axis=1, keepdims=True)])
        if self.light:
            a = self._by_whole_matrix(I, J, force, moment, bias)
        elif self.rotors:
            a = self._with_rotors(I, R, J, force, moment, bias)
        else:
            a = self._by_elimination(I, J, force, moment, bias)
        return np.concatenate([u.ravel(), turning.ravel(), a])

    def _by_whole_matrix(self, I: Array, J: Array, force: Array, moment: Array, bias: Array) -> Array:
        """Accelerations from the whole system of equations, in which single bodies may lack mass."""
        n, m = self.n, len(J)
        K = np.zeros((6 * n + m, 6 * n + m))
        K[: 3 * n, : 3 * n] = np.diag(np.repeat(self.mass, 3))
        for i in range(n):
            K[3 * (n + i) : 3 * (n + i + 1), 3 * (n + i) : 3 * (n + i + 1)] = I[i]
        K[6 * n :, : 6 * n], K[: 6 * n, 6 * n :] = J, J.T
        found: Array = np.linalg.lstsq(K, np.concatenate([force.ravel(), moment.ravel(), bias]), rcond=1e-12)[0]
        return found[: 6 * n]

    def _by_elimination(self, I: Array, J: Array, force: Array, moment: Array, bias: Array) -> Array:
        """Accelerations by way of the multipliers."""
        n = self.n
        free = np.concatenate([force / self.mass[:, None], np.linalg.solve(I, moment[..., None])[..., 0]])
        W = np.empty((6 * n, len(J)))  # M^-1 J^T
        W[: 3 * n] = J[:, : 3 * n].T / np.repeat(self.mass, 3)[:, None]
        for i in range(n):
            W[3 * (n + i) : 3 * (n + i + 1)] = np.linalg.solve(I[i], J[:, 3 * (n + i) : 3 * (n + i + 1)].T)
        lam = np.linalg.lstsq(J @ W, bias - J @ free.ravel(), rcond=1e-11)[0] if len(J) else np.zeros(0)
        a: Array = free.ravel() + W @ lam
        return a

    def _with_rotors(self, I: Array, R: Array, J: Array, force: Array, moment: Array, bias: Array) -> Array:
        """The same with rotors, which resist the acceleration of one body about an axis relative to another."""
        n = self.n
        M = np.zeros((6 * n, 6 * n))
        M[: 3 * n, : 3 * n] = np.diag(np.repeat(self.mass, 3))
        for i in range(n):
            M[3 * (n + i) : 3 * (n + i + 1), 3 * (n + i) : 3 * (n + i + 1)] = I[i]
        for inertia, j in self.rotors:
            k, e = np.zeros(6 * n), self._axis(j, R)
            for i, sign in ((self.index[j.parent], -1.0), (self.index[j.child], 1.0)):
                if i >= 0:
                    k[3 * (n + i) : 3 * (n + i + 1)] = sign * e
            M += inertia * np.outer(k, k)
        found = np.linalg.solve(M, np.column_stack([np.concatenate([force.ravel(), moment.ravel()]), J.T]))
        free, W = found[:, 0], found[:, 1:]
        a: Array = free + W @ np.linalg.lstsq(J @ W, bias - J @ free, rcond=1e-11)[0]
        return a

    def _axis(self, j: Any, R: Array) -> Array:
        """The axis of a hinge now: as its child carries it."""
        e = np.asarray(j.joint.axis, dtype=float)
        found: Array = R[self.index[j.child]] @ e / np.linalg.norm(e)
        return found

    def _turn(self, j: Any, R: Array) -> float:
        """Angle of a hinge, between minus pi and pi: of a direction across it on the child against the same on the parent."""
        a, b = self.index[j.parent], self.index[j.child]
        s = normals(np.asarray(j.joint.axis, dtype=float))[0]
        on_a, on_b = (R[a] @ s if a >= 0 else s), R[b] @ s
        return float(np.arctan2(self._axis(j, R) @ np.cross(on_a, on_b), on_a @ on_b))

    def _twist_joints(self, R: Array, w: Array, moment: Array) -> None:
        """Springs and dampers of hinges, and dampers of balls along the axes of the child."""
        for f, j in self.turned:
            a, b = self.index[j.parent], self.index[j.child]
            turns = w[b] - (w[a] if a >= 0 else 0.0)
            if type(j.joint).__name__ == "Spherical":
                e, angle = R[b][:, ("wx", "wy", "wz").index(f.coordinate)], 0.0
            else:
                e, angle = self._axis(j, R), self._turn(j, R) - f.rest
            torque = -(f.stiffness * angle + f.damping * (turns @ e)) * e
            moment[b] += torque
            if a >= 0:
                moment[a] -= torque

    def _point(self, i: int, p: Array, c: Array, R: Array, u: Array, w: Array) -> tuple[Array, Array, Array, Array]:
        """Arm from the mass centre, place, velocity and the acceleration that turning alone gives, of a point of a body."""
        if i < 0:
            return np.zeros(3), p, np.zeros(3), np.zeros(3)
        r = R[i] @ (p - self.com[i])
        return r, c[i] + r, u[i] + np.cross(w[i], r), np.cross(w[i], np.cross(w[i], r))

    def _apply(self, c: Array, R: Array, u: Array, w: Array, force: Array, moment: Array) -> None:
        for s in self.springs:
            a, b = self.index[s.body_a], self.index[s.body_b]
            ra, xa, va, _ = self._point(a, np.asarray(s.point_a, float), c, R, u, w)
            rb, xb, vb, _ = self._point(b, np.asarray(s.point_b, float), c, R, u, w)
            d = xb - xa
            length = np.linalg.norm(d)
            pull = (s.stiffness * (length - s.length) + s.damping * (d @ (vb - va)) / length) * d / length
            for i, r, f in ((a, ra, pull), (b, rb, -pull)):
                if i >= 0:
                    force[i] += f
                    moment[i] += np.cross(r, f)
        self._twist_joints(R, w, moment)
        for m, j in self.motors:
            axis = np.asarray(j.joint.axis, dtype=float)
            torque = float(np.ravel(m.torque)[0]) * axis / np.linalg.norm(axis)
            a, b = self.index[j.parent], self.index[j.child]
            if a >= 0:
                torque = R[a] @ torque
                moment[a] -= torque
            moment[b] += torque

    def _constraints(self, c: Array, R: Array, u: Array, w: Array) -> tuple[Array, Array]:
        """J and the right-hand side of J a = bias, of all rows."""
        n, rows, biases = self.n, list[Array](), list[float]()
        zero = np.zeros(3)

        def turn_of(i: int) -> Array:
            return w[i] if i >= 0 else zero

        def row(entries: list[tuple[int, Array, Array]], bias: float) -> None:
            out = np.zeros(6 * n)
            for i, linear, angular in entries:
                if i >= 0:
                    out[3 * i : 3 * i + 3] += linear
                    out[3 * (n + i) : 3 * (n + i) + 3] += angular
            rows.append(out)
            biases.append(bias)

        for kind, a, b, x, y in self.rows:
            wa, wb = turn_of(a), turn_of(b)
            if kind == "turn":
                e, f = (R[a] @ x if a >= 0 else x), (R[b] @ y if b >= 0 else y)
                k = np.cross(e, f)
                k_rate = np.cross(np.cross(wa, e), f) + np.cross(e, np.cross(wb, f))
                row([(a, zero, k), (b, zero, -k)], -float((wa - wb) @ k_rate))
                continue
            p = y
            ra, xa, va, aa = self._point(a, p, c, R, u, w)
            rb, xb, vb, ab = self._point(b, p, c, R, u, w)
            if kind == "point":
                for k in np.eye(3):
                    row([(a, -k, -np.cross(ra, k)), (b, k, np.cross(rb, k))], -float(k @ (ab - aa)))
            else:  # a direction of body a stays at right angles to the way between the two points
                s = R[a] @ x if a >= 0 else x
                d, s_rate = xb - xa, np.cross(wa, s)
                bias = s @ (ab - aa) + 2.0 * s_rate @ (vb - va) + np.cross(wa, s_rate) @ d
                row([(a, -s, np.cross(s, d) - np.cross(ra, s)), (b, s, np.cross(rb, s))], -float(bias))
        return np.array(rows).reshape(len(rows), 6 * n), np.array(biases)


def watched_by_newton_euler(
    mech: ct.Mechanism, points: Any, v: Any, t_end: float, times: Array, tolerance: float = 1e-12, method: str = "DOP853"
) -> Array:  # fmt: skip
    """(k, 3 p): world coordinates of points; velocities at the start are those of the package, which tests compare."""
    bodies, system = Bodies(mech), mech.compile()
    at_start = ct.simulate(system, 1e-9, v=v, output=[0.0])
    V = ct.twists(system, at_start.q[0], at_start.v[0], "spatial")
    order = [system.body_names.index(name) + 1 for name in mech.bodies]
    w = V[order, :3]
    u = V[order, 3:] + np.cross(w, bodies.com)
    solution = bodies.solve(w, u, t_end, tolerance, method)
    out = np.empty((len(times), 3 * len(points)))
    for k, t in enumerate(times):
        c, quaternion, u, w = bodies.split(solution.sol(t))
        R = Rotation.from_quat(quaternion).as_matrix()
        out[k] = np.concatenate(
            [bodies._point(bodies.index[b], np.asarray(p, float), c, R, u, w)[1] for b, p in points]
        )
    return out
