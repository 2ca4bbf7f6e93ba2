"""Mechanisms with everything that changes a topology, and their runs."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

import cotree as ct
from tests.model.builders import four_bar, pendulum
from tests.random_mechanisms import pose


def late(t):
    return t - 0.35


def furnished() -> ct.Mechanism:
    """Every device, with every way of telling when it acts."""
    mech = four_bar()
    mech.body("ball", 1, (3, 0, 0), (1, 1, 1))
    mech.body("hand", 1, (4, 0, 0), (1, 1, 1))
    mech.joint("floating", "ground", "ball", ct.Free())
    mech.joint("slide", "ground", "hand", ct.Cylindrical((4, 0, 0), (1, 0, 0), coordinates="second"))
    mech.lock("A", at=0.25, until=1 / 3)
    mech.lock("A", at=0.5)
    mech.unlock("A", when=ct.Event(lambda t: t - 0.6, direction=-1))
    mech.lock("floating", when=late, name="é held")
    mech.lock("slide", coordinate="q1")
    mech.brake("B", 2.5, when=late, until=2, static_ratio=1.25)
    mech.brake("slide", 1, coordinate="q2", name="rub")
    mech.limit("C", lower=-0.1)
    mech.limit("D", upper=1e-3, restitution=1)
    mech.limit("slide", -1, 2, 0.5, coordinate="q2", name="stops")
    mech.dock("near", "hand", "ball", ct.Weld(frame_parent=pose(p=(0.1, 0, 0)), frame_child=pose(p=(0, 0.2, 0))), 0.02)
    mech.dock("timed", "coupler", "ball", ct.Revolute((1, 2, 3), (0, 1, 1)), at=0.7, until=0.9)
    mech.unlock("near", at=3)
    mech.drive("turn", "A", 0.1)
    mech.motor("m", "B", 1.0)
    mech.activate("turn", at=0.1)
    mech.deactivate("turn", at=0.2)
    mech.deactivate("m", when=late)
    mech.deactivate("C", at=5)
    return mech


def switches(mech: ct.Mechanism) -> Any:
    """Devices and actions, to be compared; arrays as lists."""
    devices = [{f.name: getattr(d, f.name) for f in fields(d)} for d in mech.devices.values()]
    docked = [d.pop("joint") for d in devices if d["word"] == "dock"]
    joints = [{f.name: np.asarray(getattr(j, f.name)).tolist() for f in fields(j)} for j in docked]
    return list(mech.devices), devices, list(map(type, docked)), joints, mech.actions


# -- runs ----------------------------------------------------------------------------------------------------


def locked_arm() -> ct.Run:
    """Two locks, one of them let go by an event; a user's event between them."""
    mech = ct.gallery.planar_3r()
    mech.lock("J2", at=0.2)
    mech.lock("J3", when=late)
    mech.unlock("J2", at=0.45)
    return ct.simulate(mech, 0.6, output=40, events=ct.Event(lambda t: t - 0.3, "seen"))


def braked_pendulum() -> ct.Run:
    """It hits a stop, comes back, is braked and held."""
    mech = pendulum()
    mech.limit("pivot", upper=2.2, restitution=0.6)
    mech.brake("pivot", 3.0, at=1.0, static_ratio=1.3)
    return ct.simulate(mech, 2.5, output=60)


def leaning_pendulum() -> ct.Run:
    """It falls on a stop and stays there, held by a brake that never slid."""
    mech = pendulum()
    mech.limit("pivot", upper=1.0)
    mech.brake("pivot", 0.5, at=1.0)
    return ct.simulate(mech, 1.5, output=30)


def locked_loop() -> ct.Run:
    """Locks at a joint of the tree and at the cut one, a brake, and the loop opened in the end."""
    mech = ct.gallery.four_bar()
    mech.lock("A", at=0.2, until=0.3)
    mech.lock("C", at=0.5, until=0.6)
    mech.brake("D", 30.0, at=0.8)
    mech.deactivate("C", at=1.1)
    return ct.simulate(mech, 1.3, output=40)


def ball_and_dock() -> ct.Run:
    """A ball joint that is held as it is, a dock, and a driver that is switched on and then off."""
    mech = ct.Mechanism("ball and dock")
    mech.body("top", 1, (0.3, 0.1, 0), (0.1, 0.2, 0.3))
    mech.body("cart", 2, (0, 2, 0), (1, 1, 1))
    mech.joint("ball", "ground", "top", ct.Spherical())
    mech.joint("rail", "ground", "cart", ct.Prismatic((1, 0, 0), point=(0, 2, 0)))
    mech.drive("push", "rail", lambda t: t - 0.0425, rate=lambda t: 1.0)  # the cart is there at 0.1 s
    mech.motor("shove", "rail", 3.0)
    mech.activate("push", at=0.1)
    mech.deactivate("push", at=0.2)
    mech.deactivate("shove", at=0.3)
    mech.lock("ball", at=0.4, until=0.5)
    mech.dock("grip", "top", "cart", ct.Spherical((0, 1, 0)), at=0.6)
    return ct.simulate(mech, 0.8, v=[1.0, 2.0, 3.0, 0.5], output=40)


RUNS = (locked_arm, braked_pendulum, leaning_pendulum, locked_loop, ball_and_dock)


def functions(run: ct.Run) -> dict[str, Any]:
    """The functions of a run's mechanism, by the names that files give them."""
    from cotree.io.native.function_names import names_of_functions
    from cotree.model.functions import functions_of

    mech = run.system.mechanism
    names = names_of_functions(mech)
    return {names[id(use.function)]: use.function for use in functions_of(mech)}


def equal(a: Any, b: Any) -> bool:
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()
