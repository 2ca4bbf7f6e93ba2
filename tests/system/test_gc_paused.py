"""The garbage collector is left as it was found."""

import gc

import pytest

from cotree.errors import MassError
from cotree.system.gc_paused import not_collecting
from tests.model.builders import four_bar


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_left_as_it_was(on):
    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        with not_collecting():
            assert not gc.isenabled()
        assert gc.isenabled() == on
        with pytest.raises(MassError), not_collecting():
            raise MassError("x")
        assert gc.isenabled() == on
        four_bar().compile()
        assert gc.isenabled() == on
    finally:
        (gc.enable if was_on else gc.disable)()
