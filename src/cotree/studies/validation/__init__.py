"""The papers put to the test: what each figure, table and statement says, beside what comes out here."""

from cotree.studies.validation.study import VERDICTS, Comparison, Study

__all__ = ["VERDICTS", "Comparison", "Study"]
