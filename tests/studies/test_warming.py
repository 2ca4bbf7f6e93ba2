"""`cotree warm`: recipes followed by helpers, and what is said of them."""

import pytest

from cotree import cli
from cotree.studies import warming


def test_recipes_are_followed_by_name(monkeypatch):
    followed = []
    monkeypatch.setattr(warming, "first_run", lambda: followed.append("first"))
    warming.named("first_run")
    assert followed == ["first"]


def test_helpers_follow_recipes(monkeypatch):
    """In another process: one that is there (a function without work stands for it) and one that is not."""
    monkeypatch.setattr(warming, "named", None)  # not in this one
    found = warming.warm(("cores", "nothing_of_that_name"), jobs=1)
    assert found["failed"] == ["nothing_of_that_name"]
    assert found["processes"] == 1


@pytest.mark.parametrize("jobs", ["0", "-3"])
def test_no_processes_are_refused(capsys, jobs):
    """They compiled nothing and advised to compile on first use, or meant all cores."""
    assert cli.main(["warm", "--jobs", jobs]) != 0
    assert capsys.readouterr().err == f"cotree: jobs is {jobs}; give a number of parallel processes, 1 or more\n"


def test_the_parts_of_the_command_are_the_recipes():
    assert cli.PARTS == warming.ORDER


@pytest.mark.parametrize(("failed", "code"), [([], 0), (["division"], 1)])
def test_the_command(monkeypatch, capsys, failed, code):
    asked = []

    def warm(parts, jobs):
        asked.append((parts, jobs))
        return {"seconds": 12.3, "processes": 3, "failed": failed, "kernels": 17}

    monkeypatch.setattr(warming, "warm", warm)
    assert cli.main(["warm", "--jobs", "3", "--only", "division", "first_run"]) == code
    assert asked == [(["division", "first_run"], 3)]
    said = capsys.readouterr()
    assert said.out == f"{2 - len(failed)} parts: 17 functions compiled and cached in 12 s by 3 processes\n"
    assert ("division" in said.err) == bool(failed)


@pytest.mark.parametrize("recipe", warming.ORDER)
def test_recipes_can_be_followed(recipe):
    """What `cotree warm` and the wheel compile."""
    warming.named(recipe)
