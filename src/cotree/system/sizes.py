"""How large is large: the numbers of coordinates at which one way of computing takes the place of another.

Matrices of n coordinates cost n^3, divide and conquer costs n; the smaller n, the less it pays to divide. What is measured is
said with each number.
"""

DIVIDED_RUN = 60  # runs divide from here on; ladders of four-bars: as fast at 50, twice as fast at 120
DIVIDED_CALL = 20  # single calls of forward_dynamics do; ladders: 1.4 times as fast at 21, 8 times at 81
DIVIDED_LARGE = (
    300  # so do jumps of velocities, closing of loops and other calls: matrices take tens of milliseconds there
)
STEPWISE = 300  # up to here a start that is far away is reached in small steps, a decomposition each
DECOMPOSED = 600  # up to here doubts are settled by singular value decompositions, a second each
JUDGED = 1200  # largest size for which singular configurations are checked, with dense matrices
