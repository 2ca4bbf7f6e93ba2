"""Every example of the five papers runs, and all its checks hold."""

import matplotlib as mpl
import pytest

from cotree.papers.scripts import perform, scripts

mpl.use("Agg")
SCRIPTS = scripts()
PER_PAPER = {"dca": 2, "geo": 2, "lie": 4, "reg": 2, "vtm": 2}


@pytest.mark.parametrize("name", SCRIPTS)
def test_example(name):
    outcome = perform(name, SCRIPTS[name])
    assert outcome.study is not None, outcome.trouble
    assert outcome.study.name == name
    assert outcome.holds, str(outcome.study)


def test_every_paper_has_its_examples():
    for paper, least in PER_PAPER.items():
        assert sum(name.startswith(f"{paper}/") for name in SCRIPTS) >= least
