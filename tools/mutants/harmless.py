"""Faults that change no result, by function, with the reason: another one is put in instead.

tests/test_mutants.py keeps this list to faults that could otherwise be chosen.
"""

from __future__ import annotations

HARMLESS: dict[str, dict[tuple[str, str], str]] = {
    "cotree.system.regularization.analyse": {
        (
            "sign",
            "needed + joint.dof",
        ): "a short way for screws that span their algebra; the long way gives the same rows",
        (
            "added",
            "selector(joint, length) @ to_joint @ np.concatenate(on_cycle, axis=1)",
        ): "only the dimension of the span of these columns is used, and the negative of a basis spans the same",
        ("added", "selector(joint, length) @ to_joint"): "the same",
        ("added", "to_joint @ algebras.bases[whole]"): "the same",
    },
    "cotree.integrate.methods.implicit.put_residual": {
        (
            "factor",
            "e.J[r, i] * lam[r]",
        ): "what lies along the rows of J goes into multipliers, which nothing reads: more matrices, the same motion",
        ("factor", "e.g[r] / (beta * h * h)"): "the size of a row, which its solution does not depend on",
        ("factor", "(inner(e.J[r], v) - e.b[r]) / (gamma * h)"): "the same",
        ("factor", "beta * h * h"): "the same",
        ("factor", "beta * h"): "the same",
        ("factor", "gamma * h"): "the same",
    },
    "cotree.transitions.regularity.is_singular": {
        (
            "sign",
            "system.nv - system.n_constraints",
        ): "a short way for independent rows; the configurations nearby, looked at otherwise, give the same answer",
    },
}
