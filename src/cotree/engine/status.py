"""Every status that compiled code returns, and what it means.

An evaluation returns the rank of the rows (0 for a tree), -(1 + coordinate) for a coordinate without inertia, or one of the
negative codes below. The time loop returns how a chunk of steps ended.
"""

from cotree.engine.kernel import kernel

# of an evaluation, a projection or a step
USER_FAILED = -(1 << 40)  # a user function raised
NOT_CLOSED = -(1 << 41)  # the loops cannot be closed
NO_PARTITION = -(1 << 42)  # the coordinates chosen do not determine the constraints
NO_SOLUTION = -(1 << 43)  # the equations of an implicit step did not converge
CHATTER = -(1 << 44)  # switching functions of laws change their signs again and again at one instant

JAMMED = -(1 << 45)  # no friction force is in balance with the load that it makes itself

# of a chunk
(
    DONE, CHUNK, STEP_TOO_SMALL, NOT_FINITE, OPEN_LOOPS, BAD_PARTITION, USER_ERROR, EVENT, NARROW, FULL, NOT_SOLVED,
    CHATTERING, JAMS,
) = range(13)  # fmt: skip
GOING_ON = (CHUNK, EVENT, NARROW, FULL, USER_ERROR)  # after these the driver may call again

FAILURES = {
    STEP_TOO_SMALL: "the step size went to zero; the motion is too stiff or approaches a singularity",
    NOT_FINITE: "the state became infinite or NaN; reduce the step size or check the forces",
    OPEN_LOOPS: "the loops could not be closed after a step; reduce the step size, or check whether the drivers "
    "demand a motion that is impossible",
    BAD_PARTITION: "the coordinates chosen as dependent are not determined by the constraints here; leave them "
    "out, or use stabilize='projection'",
    CHATTERING: "keeps changing its sign at one instant, because the forces on both of its sides "
    "lead back to zero; use mech.friction for a joint that sticks, or make the law continuous there",
    JAMS: "a joint whose friction grows with its load jams: the friction makes a load that makes more friction than itself; "
    "give a smaller coefficient, radius or thrust_radius, or a longer span",
    NOT_SOLVED: "the equations of an implicit step could not be solved; reduce the step size",
}


@kernel
def outcome(status):
    """How a chunk ends for a negative status; a coordinate without inertia stays -(1 + coordinate)."""
    if status == USER_FAILED:
        return USER_ERROR
    if status == NOT_CLOSED:
        return OPEN_LOOPS
    if status == NO_PARTITION:
        return BAD_PARTITION
    if status == NO_SOLUTION:
        return NOT_SOLVED
    if status == CHATTER:
        return CHATTERING
    if status == JAMMED:
        return JAMS
    return status
