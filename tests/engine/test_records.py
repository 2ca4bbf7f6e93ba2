"""Records on the Python side: fields by name, also of records within, in one memory."""

import gc

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import cotree as ct
from cotree.engine.interpreted import INTERPRETED
from cotree.engine.kernel import released
from cotree.engine.records import (
    address_of,
    array_t,
    copied,
    put_array,
    record,
    record_with_words,
    vector,
    with_attributes,
)

inner_t = np.dtype([("flag", "?"), ("count", "i8")], align=True)
outer_t = np.dtype([("size", "f8"), ("inner", inner_t), ("array", array_t), ("three", "f8", (3,))], align=True)


def test_fields_are_attributes_and_share_memory():
    made = record(outer_t)
    inner = made.inner
    made.inner.count, made.three = 7, (1.0, 2.0, 3.0)
    inner.flag = True
    assert (made["inner"]["count"], bool(made.inner.flag), made.three.tolist()) == (7, True, [1.0, 2.0, 3.0])
    assert address_of(made) == address_of(made.inner) - outer_t.fields["inner"][1]


def test_types_are_those_of_plain_rows():
    made, words = record_with_words(outer_t)
    words[1] = 1
    assert made.dtype == outer_t
    assert bool(made.inner.flag)
    assert with_attributes(outer_t) is with_attributes(outer_t)
    plain = np.zeros(2, outer_t)
    plain[1] = made
    assert plain[1]["inner"]["flag"]


def test_copies_are_of_their_own():
    made = record(outer_t)
    made.inner.count = 3
    other = copied(made)
    other.inner.count = 4
    assert (made.inner.count, other.inner.count) == (3, 4)


def test_names_that_there_are_not():
    made = record(outer_t)
    with pytest.raises(AttributeError, match="no field of name sise"):
        _ = made.sise
    with pytest.raises(AttributeError, match="no field of name sise"):
        made.sise = 1.0
    with pytest.raises(ValueError, match="invalid literal"):
        made.inner.count = "x"


def test_vector_of_a_field_is_a_view():
    field, x = record(array_t), np.zeros(3)
    put_array(field, x)

    @released
    def put(field):
        vector(field)[1] = 5.0

    put(field)
    assert list(x) == [0.0, 5.0, 0.0]


def counts():
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_runs_leave_no_array_behind():
    """Whatever kernels allocate in a run, with loops, output between steps and events, is freed."""
    _nrt_python.memsys_enable_stats()
    try:
        system = ct.gallery.four_bar().compile()
        event = ct.Event(lambda t, q, v: np.sin(q[0]), "half turn")
        gc.collect()  # what other tests have left behind is not freed meanwhile
        left = []
        for _ in range(3):
            ct.simulate(system, 0.5, output=50)
            ct.simulate(system, 0.5, events=[event])
            ct.forward_dynamics(system, system.q0, np.zeros(system.nv))
            gc.collect()
            left.append(counts())
        assert left[1] == left[2]
    finally:
        _nrt_python.memsys_disable_stats()
