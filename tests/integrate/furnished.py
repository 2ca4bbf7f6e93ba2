"""Loops with all entries in their books, for what a run offers."""

import cotree as ct


def furnished():
    """Parallelogram with a damper and a driven crank under gravity: all entries of the books; flat every pi/3 s."""
    mech = ct.gallery.parallelogram(0.6, (0.0, -9.81, 0.0))
    mech.joint_damper("bearing", "D", 0.5)
    mech.drive("crank", "A", lambda t: 3.0 * t, rate=lambda t: 3.0, acceleration=lambda t: 0.0)
    return mech.compile(cut=["C"])


def damped_four_bar():
    mech = ct.gallery.four_bar()
    mech.joint_damper("bearing", "A", 0.8)
    mech.motor("motor", "D", 2.0)
    return mech.compile()


def turned_crank():
    """A run with an event and three crossings."""
    return ct.simulate(furnished(), 3.0, output=31, events=ct.Event(lambda q: q[0] - 2.0, "two radians"))
