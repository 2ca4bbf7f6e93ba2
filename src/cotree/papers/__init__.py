"""The examples of the five papers and the code that runs and judges them: what each paper states beside what is computed here.

One module an example (`cotree.papers.lie.heavy_top`, run by `python -m` or by `cotree papers heavy_top`); `study.py` holds
comparisons and their checks, `scripts.py` finds and runs examples, `page.py` writes the report.
"""

from cotree.papers.study import VERDICTS, Comparison, Study

__all__ = ["VERDICTS", "Comparison", "Study"]
