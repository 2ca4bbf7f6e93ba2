"""Memory as data: what is not in it and is no entry is named."""

import numpy as np
import pytest

from cotree.engine.images import UnknownAddressError, image_of
from cotree.engine.records import array_t, put_array

pair_t = np.dtype([("kept", array_t), ("lost", array_t)], align=True)


def pair(second):
    root, kept = np.zeros(1, pair_t), np.arange(3.0)
    put_array(root[0]["kept"], kept)
    put_array(root[0]["lost"], second)
    return root, kept


def test_an_address_is_inside_or_named():
    second = np.ones(2)
    root, kept = pair(second)
    image = image_of(root, [kept, second])
    assert {image.place(kept), image.place(second)} == {to for _, to in image.inside}
    at = image.place(kept)
    assert np.frombuffer(image.content[at : at + kept.nbytes]).tolist() == kept.tolist()
    with pytest.raises(UnknownAddressError, match="lost"):
        image_of(root, [kept])
