"""Random arms with random schedules: the books close, nothing fails, what is locked stays."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import cotree as ct
from tests.integrate.switching_rigs import arm, books_close

TIMES = st.sampled_from([0.0, 0.1, 0.1 + 1e-6, 0.2, 0.25, 0.31, 0.5])
DEVICES = st.lists(
    st.tuples(
        st.sampled_from(["lock", "brake", "limit", "when", "strong brake"]),
        st.integers(1, 3), TIMES, st.sampled_from([None, 0.05, 0.2]), st.sampled_from([0.0, 0.3, 1.0]),
    ),
    min_size=1, max_size=6,
)  # fmt: skip


def furnished(devices, n):
    """An arm of n bars with the devices drawn; each under a name of its own."""
    mech = arm((1.0, 0.7, 0.5)[:n])
    for k, (kind, joint, at, until, e) in enumerate(devices):
        i = min(joint, n) - 1
        name, j = f"{kind} {k}", f"j{i + 1}"
        end = None if until is None else at + until
        if kind == "lock":
            mech.lock(j, at=at, until=end, name=name)
        elif kind == "when":
            mech.lock(j, when=lambda t, q, v, i=i, a=at: q[i] + a + 0.05, until=0.55, name=name)
        elif kind == "limit":
            mech.limit(j, lower=-0.3 - at, upper=0.4 + at, restitution=e, name=name)
        else:
            mech.brake(j, 40.0 if kind == "strong brake" else 2.0, at=at, until=end, static_ratio=1.0 + e, name=name)
    return mech


def check(mech, system, v):
    run = ct.simulate(system, 0.8, v=v, rtol=1e-10, atol=1e-11, output=81)
    books_close(run, 1e-7)
    assert len(run.t) == 81
    assert run.violation.max() < 1e-8
    for switch in run.switches:
        M = ct.mass_matrix(run.system, switch.q)
        J = ct.constraint_jacobian(switch.system, switch.q, switch.t)
        assert np.abs(J @ switch.v).max(initial=0.0) < 1e-9
        dv = switch.v - switch.v_before
        hit = any("stop" in w for _, w in switch.changes)
        if not hit and switch.closes:
            assert abs(0.5 * dv @ M @ dv - switch.energy_loss) < 1e-8 * max(1.0, switch.energy_loss)
        elif not hit:
            assert np.abs(dv).max() < 1e-8 * max(1.0, np.abs(switch.v).max())
    return run


@settings(max_examples=25)
@given(DEVICES, st.integers(1, 3), st.integers(0, 2**16))
def test_arms(devices, n, seed):
    mech = furnished(devices, n)
    check(mech, mech.compile(), np.random.default_rng(seed).normal(size=n))


@settings(max_examples=8)
@given(DEVICES, st.integers(0, 2**16))
def test_the_same_in_absolute_coordinates(devices, seed):
    """Bodies move alike, whichever coordinates; schedules that bounce without end aside, which double rounding errors."""
    devices = [d for d in devices if d[0] != "when" and d[4] < 1.0]
    mech = furnished(devices, 2)
    one = check(mech, mech.compile(), None)
    two = check(mech, mech.compile("absolute"), None)
    for name in one.system.body_names:
        a, b = one.poses()[:, one.system.row_of(name)], two.poses()[:, two.system.row_of(name)]
        np.testing.assert_allclose(b, a, atol=1e-5)
