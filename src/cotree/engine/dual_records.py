"""Arrays and record tables whose entries are dual numbers; in memory they are those of lanes."""

from hashlib import blake2b
from pathlib import Path

from cotree.engine import dual_type
from cotree.engine.dual_type import dual_t
from cotree.engine.kernel import kernel
from cotree.engine.lane_records import MADE_WITH, Scalar

# what stored code depends on and cannot be reached by name from a kernel: how duals are computed with
_STAMP = blake2b(Path(str(dual_type.__file__)).read_bytes(), digest_size=8).hexdigest()
ON_DUALS = Scalar(dual_t, "_on_duals", f"{MADE_WITH}, duals {_STAMP}")
dual_vector_at, dual_matrix_at = ON_DUALS.vector_at, ON_DUALS.matrix_at


@kernel
def dual_vector(field):
    """Duals of an array field, one for each of its rows."""
    return dual_vector_at(field.at, field.m)
