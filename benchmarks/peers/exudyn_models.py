"""Exudyn: absolute coordinates and its compiled implicit solvers; planar bodies and joints where the mechanism is planar.

Solvers by name: "alpha" generalized-alpha on index 3 (Exudyn's default), "trapezoidal" on index 2, "rk44" and "rk67"
explicit on the Lie group (no joints there: a spherical joint to ground becomes a node whose place is held).
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from typing import Any

import numpy as np

import cotree as ct
from benchmarks.peers.cases import TIMES, Array, States
from benchmarks.peers.tree import is_planar

sys.exudynFast = True  # type: ignore[attr-defined]  # its own switch for speed: compiled without range checks
with contextlib.redirect_stdout(io.StringIO()):
    import exudyn as exu
    import exudyn.utilities as eu

SOLVERS = {
    "alpha": exu.DynamicSolverType.GeneralizedAlpha,
    "trapezoidal": exu.DynamicSolverType.TrapezoidalIndex2,
    "rk44": exu.DynamicSolverType.RK44,
    "rk67": exu.DynamicSolverType.RK67,
}
OUTPUTS = ("Position", "RotationMatrix", "Velocity", "AngularVelocity", "Acceleration", "AngularAcceleration")
SPARSE_FROM = 20  # bodies: below, its dense solver is faster
exu.config.printToConsole = False


class ExudynModel:
    """A system of Exudyn with sensors for all bodies."""

    def __init__(self, mech: ct.Mechanism, start: States, explicit: bool = False, times: Array = TIMES) -> None:
        self.mech, self.planar, self.explicit, self.times = mech, is_planar(mech), explicit, times
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        ground = self.mbs.AddObject(eu.ObjectGround())
        self.bodies: dict[str, Any] = {"ground": ground}
        self.origin = {"ground": np.zeros(3)}
        for i, (name, body) in enumerate(mech.bodies.items()):
            self._add_body(name, body.properties, start.w[0, i], start.u[0, i])
        if not explicit:
            for j in mech.joints.values():
                self._add_joint(j)
        self._add_forces()
        self.sensors = {
            (name, kind): self.mbs.AddSensor(
                eu.SensorBody(
                    bodyNumber=self.bodies[name],
                    localPosition=mech.bodies[name].properties.com - self.origin[name],
                    outputVariableType=getattr(exu.OutputVariableType, kind),
                    storeInternal=True,
                    writeToFile=False,
                )
            )
            for name in mech.bodies
            for kind in OUTPUTS
        }
        self.mbs.Assemble()

    def _add_body(self, name: str, p: Any, w: Array, u: Array) -> None:
        """Body at its mass centre. For the explicit solvers, which only leave coordinates out, a body with the same rotation:
        centred at the held pivot, its inertia taken about there (good without gravity)."""
        at = p.com if not self.explicit else np.asarray(next(iter(self.mech.joints.values())).joint.point, dtype=float)
        arm = p.com - at
        I = p.inertia + p.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        found = self.mbs.CreateRigidBody(
            referencePosition=at, initialVelocity=u - np.cross(w, arm), initialAngularVelocity=w,
            inertia=eu.RigidBodyInertia(p.mass, I, np.zeros(3)), gravity=self.mech.gravity, create2D=self.planar,
            nodeType=exu.NodeType.RotationRotationVector if self.explicit else exu.NodeType.RotationEulerParameters,
            returnDict=True,
        )  # fmt: skip
        self.bodies[name], self.origin[name] = found["bodyNumber"], at
        if self.explicit:
            still = self.mbs.AddMarker(
                eu.MarkerNodeCoordinate(nodeNumber=self.mbs.AddNode(eu.NodePointGround()), coordinate=0)
            )
            for k in range(3):
                moving = self.mbs.AddMarker(eu.MarkerNodeCoordinate(nodeNumber=found["nodeNumber"], coordinate=k))
                self.mbs.AddObject(eu.ObjectConnectorCoordinate(markerNumbers=[still, moving]))

    def _add_joint(self, j: Any) -> None:
        pair, p = [self.bodies[j.parent], self.bodies[j.child]], np.asarray(j.joint.point, dtype=float)
        if self.planar:
            places = [p - self.origin[j.parent], p - self.origin[j.child]]
            markers = [
                self.mbs.AddMarker(eu.MarkerBodyPosition(bodyNumber=b, localPosition=x))
                for b, x in zip(pair, places, strict=True)
            ]
            self.mbs.AddObject(eu.ObjectJointRevolute2D(markerNumbers=markers))
        elif isinstance(j.joint, ct.Spherical):
            self.mbs.CreateSphericalJoint(itemNumbers=pair, position=p)
        elif isinstance(j.joint, ct.Prismatic):
            self.mbs.CreatePrismaticJoint(itemNumbers=pair, position=p, axis=np.asarray(j.joint.axis, dtype=float))
        else:
            self.mbs.CreateRevoluteJoint(itemNumbers=pair, position=p, axis=np.asarray(j.joint.axis, dtype=float))

    def _add_forces(self) -> None:
        """Springs, and constant torques of motors on joints to the ground."""
        for s in self.mech.springs.values():
            self.mbs.CreateSpringDamper(
                bodyNumbers=[self.bodies[s.body_a], self.bodies[s.body_b]], stiffness=s.stiffness, damping=s.damping,
                localPosition0=s.point_a - self.origin[s.body_a], localPosition1=s.point_b - self.origin[s.body_b],
                referenceLength=s.length,
            )  # fmt: skip
        for m in self.mech.joint_forces.values():
            j = self.mech.joints[m.joint]
            if j.parent != "ground":
                raise ValueError(f"motor {m.name!r}: only joints to the ground have motors here")
            torque = np.ravel(m.torque)[0] * np.asarray(j.joint.axis, dtype=float)
            self.mbs.CreateTorque(bodyNumber=self.bodies[j.child], loadVector=torque)

    def settings(self, solver: str, steps: int, t_end: float | None = None) -> Any:
        """Settings for `steps` equal steps (halved by Exudyn where Newton's method fails)."""
        t_end = float(self.times[-1]) if t_end is None else t_end
        s = exu.SimulationSettings()
        s.timeIntegration.endTime, s.timeIntegration.numberOfSteps = t_end, steps
        s.timeIntegration.solverType = SOLVERS[solver]
        s.timeIntegration.automaticStepSize = False
        s.timeIntegration.minimumStepSize = 1e-2 * t_end / steps  # else a step that fails is halved for minutes
        s.timeIntegration.explicit.computeEndOfStepAccelerations = False
        s.solution.file.write = False
        s.solution.sensors.writePeriod = self.times[1] - self.times[0]
        if self.planar and len(self.mech.bodies) >= SPARSE_FROM:
            s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        elif not self.planar and not self.explicit:  # redundant rows of the joints need full pivoting
            s.linearSolver.solverType = exu.LinearSolverType.EigenDense
            s.linearSolver.ignoreSingularJacobian = True
        return s

    def run(self, settings: Any) -> tuple[float, States | None]:
        """Seconds of wall time and states at the output times; None when the solver gave up."""
        start = time.perf_counter()
        try:
            done = self.mbs.SolveDynamic(settings)
        except (RuntimeError, ValueError):
            done = False
        seconds = time.perf_counter() - start
        return seconds, self.states() if done else None

    def stored(self, kind: str) -> Array:
        """(k, n, 3 or 9) values of the sensors at the output times that were reached."""
        rows = np.stack([self.mbs.GetSensorStoredData(self.sensors[name, kind]) for name in self.mech.bodies], axis=1)
        reached = self.times[rows[-1, 0, 0] * (1 + 1e-9) + 1e-12 > self.times]
        return rows[np.abs(rows[:, 0, :1] - reached).argmin(axis=0), :, 1:]

    def start_accelerations(self, solver: str = "alpha") -> Array:
        """(n, 3) angular accelerations at the start, as the implicit solver computes them for its first step."""
        self.mbs.SolveDynamic(self.settings(solver, 1, 1e-9))
        return np.array(
            [self.mbs.GetSensorStoredData(self.sensors[name, OUTPUTS[5]])[0, 1:] for name in self.mech.bodies]
        )

    def states(self) -> States:
        c, R, u, w = (self.stored(kind) for kind in OUTPUTS[:4])
        return States(R.reshape(*R.shape[:2], 3, 3), c, w, u)
