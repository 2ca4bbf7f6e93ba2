"""A quick look for NaN and infinity inside kernels."""

from cotree.engine.kernel import kernel


@kernel
def all_finite(x):
    """Whether every entry is a finite number; 0 x is NaN for the others."""
    s = 0.0
    for i in range(x.size):
        s += 0.0 * x[i]
    return s == 0.0


@kernel
def both_finite(x, y):
    """Whether every entry of two vectors is a finite number."""
    return all_finite(x) and all_finite(y)
