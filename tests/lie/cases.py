"""The angles at which the maps are tried, twists of those angles, and how to call tuple kernels on them."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

PI = float(np.pi)
SMALL = (0.0, 1e-300, 1e-160, 1e-20, 1e-8, 1e-4)
ORDINARY = (0.3, 1.0, 2.0, 3.0)
SWITCH = (  # both sides of the switch of stumpff.py at pi, and of the branches of the logarithm
    *(PI - 10.0**-k for k in (2, 4, 6, 9, 12, 15)),
    float(np.nextafter(PI, 0.0)),
    PI,
    float(np.nextafter(PI, 4.0)),
    *(PI + 10.0**-k for k in (15, 12, 9, 6, 4, 2)),
)
ABOVE_PI = (4.0, 5.0, 6.0)
BEYOND = (2 * PI - 1e-3, 2 * PI - 1e-8, 2 * PI, 2 * PI + 1e-6, 7.0, 10.0, 13.0, 20.0)
UP_TO_PI = (*SMALL, *ORDINARY, *(a for a in SWITCH if a < PI))
UP_TO_2PI = (*SMALL, *ORDINARY, *SWITCH, *ABOVE_PI)
ALL = (*UP_TO_2PI, *BEYOND)
FURTHER = {1e-300, 1e-20, 1.0, 3.0, 4.0, 6.0, 2 * PI - 1e-8, 10.0, 13.0} | {  # whose branches others try too
    PI + s * 10.0**-k for k in (4, 9, 15) for s in (1, -1)
}


def at(angles, name="angle"):
    """A test at each of the angles; at those that enter no branch of their own in `make test-long` only."""
    return pytest.mark.parametrize(
        name, [pytest.param(a, marks=pytest.mark.long) if a in FURTHER else a for a in angles]
    )


_random = np.random.default_rng(20)
AXES = [a / np.linalg.norm(a) for a in (np.eye(3)[0], np.eye(3)[2], np.ones(3), *_random.normal(size=(3, 3)))]


def triple(a):
    return (float(a[0]), float(a[1]), float(a[2]))


def pair_of(a):
    """Twist as a pair of triples."""
    return (triple(a[:3]), triple(a[3:]))


def floats(a):
    """Flat tuple of doubles of what a reference gives, or of an array."""
    return tuple(float(x) for x in np.asarray(a, dtype=object).ravel())


def rotation_vectors(angle, axes=AXES):
    return [triple(angle * a) for a in axes]


def vectors(n=1, seed=0):
    """n random triples."""
    return [triple(a) for a in np.random.default_rng(seed).normal(size=(n, 3))]


def twists(angle, axes=AXES[2:5]):
    """Twists with the given angle; velocities of several sizes."""
    v = np.random.default_rng(3).normal(size=(len(axes), 3)) * np.resize([1.0, 1e-3, 1e3], (len(axes), 1))
    return [(w, triple(x)) for w, x in zip(rotation_vectors(angle, axes), v, strict=True)]


def random_twists(n, seed=0):
    return [pair_of(a) for a in np.random.default_rng(seed).normal(size=(n, 6))]


def matrix3(f):
    """Matrix of the linear map f of triples."""
    return np.array([f(triple(e)) for e in np.eye(3)]).T


def matrix6(f):
    """Matrix of the linear map f of twists."""
    return np.array([np.ravel(f(pair_of(e))) for e in np.eye(6)]).T


# -- for property tests -------------------------------------------------------------------------------------

properties = settings(max_examples=80, deadline=None)

_numbers = st.floats(-10, 10).map(lambda x: x if abs(x) > 1e-100 else 0.0)  # products must not underflow
points = st.tuples(_numbers, _numbers, _numbers)
axes = points.filter(lambda a: np.linalg.norm(a) > 1e-3).map(lambda a: triple(a / np.linalg.norm(a)))


def angles(limit):
    """Angles of each branch of the code, and any other, up to a limit."""
    return st.sampled_from([a for a in ALL if a <= limit]) | st.floats(0, limit).filter(lambda a: a == 0 or a > 1e-100)


def rotation_vectors_up_to(limit):
    return st.builds(lambda angle, axis: triple(angle * np.array(axis)), angles(limit), axes)


def twists_up_to(limit):
    return st.tuples(rotation_vectors_up_to(limit), points)


any_twist = st.tuples(points, points)
