"""Mechanisms of any size in the shapes that the cost of divide and conquer is counted and measured on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import cotree as ct

Z = (0.0, 0.0, 1.0)


def chain(n: int) -> ct.Mechanism:
    """n rods in a row on revolutes along z and y in turn."""
    mech = ct.Mechanism(f"chain of {n}")
    body = mech.ground
    for k in range(n):
        outer = mech.body(f"b{k}", 1.0, (k + 0.5, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"j{k}", body, outer, ct.Revolute((k, 0, 0), Z if k % 2 == 0 else (0, 1, 0)))
        body = outer
    return mech


def coupled_chain(n: int) -> ct.Mechanism:
    """The same with one row over all its joints: their angles have a constant sum."""
    mech = chain(n)
    mech.coupling("sum", {f"j{k}": 1.0 for k in range(n)})
    return mech


def ring(n: int) -> ct.Mechanism:
    """n rods on a circle, both ends hinged to ground: one loop around everything."""
    mech = ct.Mechanism(f"ring of {n}", gravity=(0, -9.81, 0))
    angle = 2.0 * np.pi * np.arange(n + 2) / (n + 1)
    p = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    bodies = [mech.ground, *(mech.body(f"b{k}", 1.0, (p[k] + p[k + 1]) / 2, (0.1, 0.1, 0.1)) for k in range(n))]
    for k in range(n + 1):
        mech.joint(f"j{k}", bodies[k], bodies[(k + 1) % (n + 1)], ct.Revolute(p[k], Z))
    return mech


def around(k: int, n: int, radius: float = 1.0) -> NDArray[np.float64]:
    """Point k of n on a circle."""
    a = 2.0 * np.pi * k / n
    return np.array([radius * np.cos(a), radius * np.sin(a), 0.0])


def star(n: int) -> ct.Mechanism:
    """A hub that turns in the plane, with n rods on hinges at its rim."""
    mech = ct.Mechanism(f"star of {n}", gravity=(0, -9.81, 0))
    mech.body("hub", 1.0 + 0.1 * n, (0, 0, 0), (1, 1, 1))
    mech.joint("centre", mech.ground, "hub", ct.Revolute((0, 0, 0), Z))
    for k in range(n):
        mech.body(f"b{k}", 1.0, around(k, n, 1.5), (0.1, 0.1, 0.1))
        mech.joint(f"j{k}", "hub", f"b{k}", ct.Revolute(around(k, n), Z))
    return mech


def star_ring(n: int) -> ct.Mechanism:
    """The star with a rod from the tip of each to the tip of the next: n loops through the hub."""
    mech = star(n)
    for k in range(n):
        a, b = around(k, n, 2.0), around((k + 1) % n, n, 2.0)
        knee = 0.5 * (a + b) + 0.3 * around(k, n)
        for name, p, q in ((f"l{k}", a, knee), (f"r{k}", knee, b)):
            mech.body(name, 0.5, (p + q) / 2, (0.05, 0.05, 0.05))
        mech.joint(f"a{k}", f"b{k}", f"l{k}", ct.Revolute(a, Z))
        mech.joint(f"k{k}", f"l{k}", f"r{k}", ct.Revolute(knee, Z))
        mech.joint(f"c{k}", f"r{k}", f"b{(k + 1) % n}", ct.Revolute(b, Z))
    return mech


def plate(n: int) -> ct.Mechanism:
    """A plate on n legs that stand on ground by ball joints: n - 1 loops."""
    mech = ct.Mechanism(f"plate on {n} legs")
    mech.body("plate", 5.0, (0.1, 0.05, 1), (1.0, 1.0, 2.0))
    for k in range(n):
        foot, head = around(k, n, 1.3), around(k, n) + np.array(Z)
        knee = 0.5 * (foot + head) + 0.2 * np.array(Z)
        mech.body(f"low{k}", 0.5, 0.5 * (foot + knee), (0.1, 0.1, 0.1))
        mech.body(f"up{k}", 0.4, 0.5 * (head + knee), (0.1, 0.1, 0.1))
        mech.joint(f"foot{k}", mech.ground, f"low{k}", ct.Spherical(foot))
        mech.joint(f"knee{k}", f"low{k}", f"up{k}", ct.Spherical(knee))
        mech.joint(f"head{k}", f"up{k}", "plate", ct.Spherical(head))
    return mech


def planets(n: int) -> ct.Mechanism:
    """A sun with n planets on a carrier, geared to it."""
    mech = ct.Mechanism(f"sun with {n} planets", gravity=(0, -9.81, 0))
    mech.body("sun", 3.0, (0, 0, 0), (1, 1, 2))
    mech.body("carrier", 2.0, (0.1, 0, 0), (1, 1, 1.5))
    mech.joint("S", mech.ground, "sun", ct.Revolute((0, 0, 0), Z))
    mech.joint("C", mech.ground, "carrier", ct.Revolute((0, 0, 0), Z))
    for k in range(n):
        mech.body(f"planet{k}", 0.3, around(k, n), (0.1, 0.1, 0.2))
        mech.joint(f"P{k}", "carrier", f"planet{k}", ct.Revolute(around(k, n), Z))
        mech.coupling(f"g{k}", {"S": 1.0, "C": -3.0, f"P{k}": 2.0})
    return mech


def net(side: int) -> ct.Mechanism:
    """side x side bodies in a square, each joined to its neighbours by ball joints: separators grow with the side."""
    mech = ct.Mechanism(f"net of {side} x {side}")
    for i in range(side):
        for j in range(side):
            mech.body(f"n{i}_{j}", 1.0, (i, j, 0.1 * ((i + j) % 2)), (0.1, 0.1, 0.1))
            if i:
                mech.joint(f"x{i}_{j}", f"n{i - 1}_{j}", f"n{i}_{j}", ct.Spherical((i - 0.5, j, 0.0)))
            if j:
                mech.joint(f"y{i}_{j}", f"n{i}_{j - 1}", f"n{i}_{j}", ct.Spherical((i, j - 0.5, 0.02 * i)))
    mech.joint("corner", mech.ground, "n0_0", ct.Spherical((-0.5, 0, 0)))
    return mech
