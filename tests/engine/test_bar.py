"""The bar on compiling: how many of how many, only where somebody can see it and has waited."""

import pytest

from cotree.engine import bar as module
from cotree.engine.bar import Bar
from cotree.engine.watched import SWITCH, watched


def lower():
    return 1


def upper():
    return lower()


@pytest.fixture
def shown(monkeypatch, capsys):
    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    return lambda: capsys.readouterr().err


def test_counts(shown):
    bar = Bar()
    with bar.over(upper):
        bar.finished(f"{__name__}.lower")
        assert "1/2" in shown()
        bar.finished(f"{__name__}.upper")
        assert "2/2" in shown()


def test_what_was_compiled_before_is_not_counted(shown):
    bar = Bar()
    with bar.over(lower):
        bar.finished(f"{__name__}.lower")
    shown()
    bar.ended -= 10 * module.PAUSE
    with bar.over(upper):
        bar.finished(f"{__name__}.upper")
        assert "1/1" in shown()


def test_not_before_a_second_has_passed(shown, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 1e6)
    bar = Bar()
    with bar.over(upper):
        bar.finished(f"{__name__}.lower")
    assert shown() == ""


@pytest.mark.parametrize(("asked", "expected"), [("0", False), ("1", True), ("", False)])
def test_only_where_somebody_looks(monkeypatch, asked, expected):
    monkeypatch.setenv(SWITCH, asked)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    assert watched() == expected


def test_on_a_terminal(monkeypatch):
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert watched()


def test_hidden_where_it_is_not_wanted(shown):
    bar = Bar()
    bar.hidden = True
    with bar.over(upper):
        bar.finished(f"{__name__}.lower")
    assert shown() == ""
