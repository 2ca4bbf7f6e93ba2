"""Records on the Python side: fields by name, also of records within, in one memory."""

import numpy as np
import pytest

from cotree.engine.records import address_of, array_t, copied, record, record_with_words, with_attributes

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
