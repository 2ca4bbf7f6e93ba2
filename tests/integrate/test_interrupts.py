"""Ctrl-C and other signals during a run: heard every time, nothing computed is lost, nothing is computed from old forces."""

import signal
import sys
import threading

import numpy as np
import pytest

import cotree as ct
from cotree.engine import signals
from cotree.engine.python_entry import PythonEntry
from cotree.engine.status import USER_FAILED
from cotree.errors import FunctionError
from cotree.formulations.callback import Callback
from cotree.formulations.problem import ANSWERED, ASK_VALUES, Problem, ask
from cotree.integrate.checks import stalling
from cotree.integrate.phases import switching
from tests.integrate.interrupts import At, before_the_callback, is_beginning, press
from tests.integrate.references import pendulum, point_mass

METHODS = [{}, {"step": 0.02}, {"step": 0.02, "method": "generalized-alpha"}]


def with_motor(n=0, act=press):
    mech, f = pendulum(), At(lambda t: np.sin(5.0 * t), n, act)
    mech.motor("muscle", "hinge", lambda t: f(t))
    return mech, f, ()


def with_row(n=0, act=press):
    mech, f = point_mass(), At(lambda q: q[1], n, act)
    mech.constraint("wire", lambda q: [[0.0, 1.0, 0.0]], lambda q: f(q), bias=lambda q: 0.0)
    return mech, f, ()


def with_drive(n=0, act=press):
    mech, f = ct.gallery.four_bar(), At(lambda t: 0.5 * t, n, act)
    mech.drive("turn", "A", lambda t: f(t), rate=lambda t: 0.5, acceleration=lambda t: 0.0)
    return mech, f, ()


def with_event(n=0, act=press):
    f = At(lambda q: q[0] - 0.2, n, act)
    return pendulum(), f, [lambda q: f(q)]


def with_condition(n=0, act=press):
    """Let go by a condition, with a stop besides: several phases."""
    mech, f = pendulum(), At(lambda q: q[0] + 0.1, n, act)
    mech.limit("hinge", lower=-0.3, restitution=0.5)
    mech.lock("hinge", when=lambda q: f(q), until=0.9)
    return mech, f, ()


def run_of(made, **words):
    mech, _, events = made
    q = [0.5] if "hinge" in mech.joints else None
    return ct.simulate(mech, 1.0, q, output="steps", events=events, **words)


@pytest.mark.parametrize("words", METHODS)
@pytest.mark.parametrize("make", [with_motor, with_row, with_drive, with_event, with_condition])
def test_ctrl_c_in_a_function_at_any_call(make, words):
    made = make()
    whole = run_of(made, **words)
    assert whole.status == "done"
    raised = 0
    for n in np.unique(np.linspace(1, made[1].calls, 9, dtype=int)):
        try:
            run = run_of(make(n), **words)
        except KeyboardInterrupt:  # before the first step, when there is nothing to give back
            raised += 1
            assert n < made[1].calls / 2
            continue
        assert run.status == "interrupted"
        assert "interrupted at t = " in run.message
        assert is_beginning(run, whole)
    assert raised <= 3


@pytest.mark.parametrize("words", METHODS)
@pytest.mark.parametrize("make", [with_motor, with_row, with_drive, with_event, with_condition])
def test_ctrl_c_in_compiled_code(make, words):
    """Its handler runs before the first line of the callback."""
    made = make()
    whole = run_of(made, **words)
    for n in (2, 3 + made[1].calls // 8, 4 + made[1].calls // 6):
        with before_the_callback(n, press):
            run = run_of(make(), **words)
        assert run.status == "interrupted"
        assert is_beginning(run, whole)


class TimeIsUp(Exception):
    pass


@pytest.fixture
def alarm():
    def handler(*_):
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, handler)
    yield lambda: signal.raise_signal(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("make", [with_motor, with_row, with_drive, with_event, with_condition])
def test_exceptions_of_other_handlers(make, alarm, capsys):
    """A time limit by signal, in a function and in compiled code."""
    hook = sys.unraisablehook
    with pytest.raises(TimeIsUp):
        run_of(make(12, alarm))
    with before_the_callback(12, alarm), pytest.raises(TimeIsUp):
        run_of(make())
    assert sys.unraisablehook is hook
    assert "ignored" not in capsys.readouterr().err


@pytest.mark.parametrize("kind", [RecursionError, MemoryError, SystemExit, GeneratorExit, KeyboardInterrupt])
def test_nothing_is_swallowed(kind):
    def fall():
        raise kind

    for place in (lambda: run_of(with_motor(30, fall)), lambda: run_of(with_event(5, fall))):
        if kind is KeyboardInterrupt:
            assert place().status == "interrupted"
        else:
            with pytest.raises(kind):
                place()
    with before_the_callback(30, fall):
        if kind is KeyboardInterrupt:
            assert run_of(with_motor()).status == "interrupted"
        else:
            with pytest.raises(kind):
                run_of(with_motor())


@pytest.mark.parametrize("n", [1, 30])
def test_what_broke_off_a_function_may_be_unknown(n):
    """Where another hook takes the exception away, the evaluation still counts as failed."""

    def fall():
        sys.unraisablehook = lambda *_: None
        raise MemoryError

    hook = sys.unraisablehook
    try:
        with before_the_callback(n, fall), pytest.raises(FunctionError, match="interrupted by an exception"):
            run_of(with_motor())
    finally:
        sys.unraisablehook = hook


@pytest.mark.parametrize("returned", [ANSWERED, 0, 7])
def test_what_a_callback_returns_is_not_looked_at(returned):
    """An exception before its first line leaves the return value unwritten: whatever an earlier call has left there."""
    system = with_motor()[0].compile()
    problem = Problem(system)
    callback = Callback(problem)
    state = (ASK_VALUES, 0.3, system.q0, np.zeros(system.nv))
    assert ask(problem.problem, *state) == 0
    broken_off = PythonEntry(lambda *_: returned)
    problem.problem.entries.callback = broken_off.address
    assert ask(problem.problem, *state) == USER_FAILED
    problem.problem.entries.callback = callback._entry.address
    assert ask(problem.problem, *state) == 0


def test_events_of_the_last_step_are_not_lost():
    """Ctrl-C while the events of a step are looked at: the step does not count, and resuming finds them."""
    made = with_event()
    whole = run_of(made)
    assert len(whole.events) == 1
    for n in range(2, made[1].calls + 1):
        run = run_of(with_event(n))
        again = run.resume(1.0, output="steps", events=[lambda q: q[0] - 0.2])
        assert [e.t for e in again.events] == pytest.approx([e.t for e in whole.events], abs=1e-7), n


def bouncing():
    mech = pendulum()
    mech.limit("hinge", lower=-0.1, upper=0.6, restitution=0.9)
    mech.brake("hinge", 0.1)
    return mech


@pytest.mark.parametrize("output", ["steps", 21])
def test_ctrl_c_between_phases(monkeypatch, output):
    whole = ct.simulate(bouncing(), 2.0, [0.5], output=output)
    assert len(whole.phases) == 4
    for place in ("settle", "_collect", "_phase", "_record"):
        act = At(getattr(switching, place), 3)
        monkeypatch.setattr(switching, place, act)
        run = ct.simulate(bouncing(), 2.0, [0.5], output=output)
        monkeypatch.setattr(switching, place, act.function)
        assert run.status == "interrupted"
        assert is_beginning(run, whole)
        assert len(run.t) < len(whole.t)
        again = run.resume(2.0, output=11)
        assert again.status == "done"
        assert again.q[-1] == pytest.approx(whole.q[-1], abs=1e-6)
        assert "interrupted" in str(run)


def test_ctrl_c_in_a_function_between_phases():
    """A force that is asked for while a stop is hit."""
    whole_calls = []

    def made(n):
        mech, f = bouncing(), At(lambda t: 0.0, n)
        mech.motor("muscle", "hinge", lambda t: f(t))
        whole_calls.append(f)
        return mech

    whole = ct.simulate(made(0), 1.0, [0.5], output="steps")
    for n in np.unique(np.linspace(20, whole_calls[0].calls, 12, dtype=int)):
        run = ct.simulate(made(n), 1.0, [0.5], output="steps")
        assert run.status == "interrupted", n
        assert is_beginning(run, whole)


def test_ctrl_c_when_all_is_computed(monkeypatch):
    simulating = sys.modules["cotree.integrate.simulate"]  # not the function of that name
    monkeypatch.setattr(simulating, "announce", At(simulating.announce, 1))
    run = ct.simulate(pendulum(), 1.0, [0.5])
    assert run.status == "interrupted"
    assert "after the end of the run" in run.message
    assert run.t[-1] == 1.0


def test_ctrl_c_while_the_accuracy_is_looked_at():
    mech, f, _ = with_motor()
    run = ct.simulate(mech, 1.0, [0.5])
    f.n = f.calls + 50
    with pytest.raises(KeyboardInterrupt):
        _ = run.accuracy
    assert run.accuracy.relative < 1e-3


def test_handlers_are_put_back():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    own = signal.getsignal(signal.SIGINT)
    try:
        run = run_of(with_motor(30))
        assert run.status == "done"  # this handler does not raise
        with before_the_callback(30, press):
            assert run_of(with_motor()).status == "done"
        assert len(heard) == 2
        assert signal.getsignal(signal.SIGINT) is own
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert run_of(with_motor(30)).status == "done"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_runs_in_other_threads_leave_signals_alone():
    found = []
    thread = threading.Thread(target=lambda: found.append((run_of(with_motor()), signal.getsignal(signal.SIGINT))))
    thread.start()
    thread.join()
    assert found[0][0].status == "done"
    assert found[0][1] is signal.default_int_handler


def test_a_run_within_a_function_of_another_ends_both():
    inner = []

    def torque(t):
        inner.append(run_of(with_motor(20 if len(inner) == 30 else 0)).status)
        return 0.0

    mech = pendulum()
    mech.motor("muscle", "hinge", torque)
    run = ct.simulate(mech, 1.0, [0.5])
    assert run.status == "interrupted"
    assert inner == ["done"] * 30


def test_a_second_ctrl_c_is_not_kept(monkeypatch):
    with signals.Hold() as hold:
        press()
        press()
        monkeypatch.setattr(signals, "PATIENCE", -1.0)
        with pytest.raises(KeyboardInterrupt):
            press()
        with pytest.raises(KeyboardInterrupt):
            hold.deliver()
        hold.deliver()


def test_ctrl_c_while_code_is_compiled():
    with signals.Hold(), signals.global_compiler_lock, pytest.raises(KeyboardInterrupt):
        press()


def test_ctrl_c_while_another_exception_is_on_its_way():
    def fall():
        press()
        raise ValueError

    with pytest.raises(KeyboardInterrupt), signals.Hold():
        fall()


@pytest.mark.parametrize("place", ["rough_drive", "rough_force"])
def test_alarms_while_the_progress_of_a_run_is_judged(alarm, monkeypatch, place):
    """The checks are optional, and what a function raises in them is left to the run; a time limit is not."""
    monkeypatch.setattr(stalling, place, At(getattr(stalling, place), 2, alarm))
    end = ct.Event(lambda t: t - 30.0, terminal=True)
    with pytest.raises(TimeIsUp):
        ct.simulate(with_motor()[0], 1e9, [0.5], events=[end], output=2)

    def refused(*_):
        raise ValueError

    monkeypatch.setattr(stalling, place, refused)
    assert ct.simulate(with_motor()[0], 1e9, [0.5], events=[end], output=2).status == "event"
