"""Who may look at a live view and move it: tried with requests and WebSockets as other programs and other sites send them."""

import asyncio
import gc
import http.client
import threading
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, ViewError
from cotree.view.live import gate, posing, server
from cotree.view.live.gate import Gate, is_loopback
from tests.model.builders import four_bar, pendulum, refused
from tests.view.pages import made_run

viser = pytest.importorskip("viser", reason="the package viser is not installed: no live views")
websockets = pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def viewer():
    with four_bar().view(open=False, wait=False) as made:
        yield made


def got(viewer, path=None, **headers):
    """Status of a request for a page."""
    where = urlsplit(viewer.url)
    connection = http.client.HTTPConnection("127.0.0.1", where.port, timeout=60)
    try:
        connection.request("GET", where.path if path is None else path, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def connected(viewer, path=None, **options):
    """Length of the first message that a WebSocket is sent, or the status of the refusal."""
    where = urlsplit(viewer.url)
    address = f"ws://127.0.0.1:{where.port}{where.path if path is None else path}"

    async def first():
        try:
            async with websockets.connect(
                address, subprotocols=[f"viser-v{viser.__version__}"], max_size=None, open_timeout=60, **options
            ) as socket:
                return len(await asyncio.wait_for(socket.recv(), 60))
        except websockets.InvalidStatus as error:
            return error.response.status_code

    return asyncio.run(first())


def test_the_address_with_its_secret_is_answered(viewer):
    where = urlsplit(viewer.url)
    assert got(viewer) == 200
    assert got(viewer, where.path + "/") == 200
    assert got(viewer, where.path + "?darkMode") == 200
    assert got(viewer, where.path + "/nothing.js") == 404
    assert connected(viewer) > 1000
    assert connected(viewer, origin=f"http://{where.netloc}") > 1000


def test_without_the_secret_nothing_is_answered(viewer):
    secret = urlsplit(viewer.url).path[1:]
    assert len(secret) >= 20
    for path in ("/", "/index.html", f"/{secret[:-1]}", f"/{secret}x", f"/x/{secret}", f"/?{secret}", f"//{secret}"):
        assert got(viewer, path) == 403, path
    assert connected(viewer, "/") == connected(viewer, "") == connected(viewer, "/guess") == 403


def test_pages_of_other_sites_are_refused(viewer):
    """Even with the secret: a page elsewhere that has come to know it cannot use it from a browser."""
    port = urlsplit(viewer.url).port
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}", f"http://localhost:{port}"):
        assert connected(viewer, origin=origin) == 403, origin
        assert got(viewer, Origin=origin) == 403, origin


def test_foreign_names_for_this_machine_are_refused(viewer):
    """A site whose name is made to point here (DNS rebinding) sends its own name as Host, and the same as Origin."""
    port = urlsplit(viewer.url).port
    for host in (f"evil.example:{port}", "evil.example", "127.0.0.1.evil.example", "[", ""):
        assert got(viewer, Host=host) == 403, host
    assert connected(viewer, additional_headers={"Host": "evil.example"}, origin="http://evil.example") == 403
    assert got(viewer, Host=f"localhost:{port}") == 200
    assert got(viewer, Host="localhost:1") == 200  # through a tunnel


def test_what_the_gate_admits():
    assert [is_loopback(x) for x in ("localhost", "127.0.0.1", "::1", "127.9.9.9")] == [True] * 4
    assert [is_loopback(x) for x in ("0.0.0.0", "10.0.0.7", "example.org", "")] == [False] * 4
    far = Gate("0.0.0.0")
    assert far.token != Gate("0.0.0.0").token
    assert far.admits(f"/{far.token}", "10.0.0.7:8080", "http://10.0.0.7:8080")
    assert not any(far.admits(path, "10.0.0.7:8080", None) for path in ("/", "", "/\udcfc", f"/\udcfc{far.token}"))
    assert not far.admits(f"/{far.token}", "10.0.0.7:8080", "http://evil.example")
    twice = SimpleNamespace(path=f"/{far.token}", headers=SimpleNamespace(get_all=lambda name: ["a", "http://a"]))
    connection = SimpleNamespace(respond=lambda status, text: status)
    assert far.before(lambda *_: pytest.fail("answered"))(connection, twice) == 403


def test_views_for_other_machines_need_the_secret_too():
    with four_bar().view(open=False, wait=False, host="0.0.0.0") as viewer:
        assert viewer.url.startswith("http://localhost:")
        assert got(viewer) == 200
        assert got(viewer, "/") == 403
        assert connected(viewer, "/") == 403


def test_other_servers_are_left_alone():
    module = SimpleNamespace(serve=lambda handler, process_request=None: process_request)
    closed = Gate("127.0.0.1")
    with closed.closed_around(module):
        assert module.serve(test_other_servers_are_left_alone, process_request=7) == 7
        assert not closed.shut
    assert module.serve(None, process_request=8) == 8


def test_a_server_that_asks_no_gate_is_not_used(monkeypatch):
    monkeypatch.setattr(gate.Gate, "closed_around", lambda self, module: server.quiet())
    with refused(ViewError, "has no access control"):
        four_bar().view(open=False, wait=False)


@pytest.mark.parametrize("host", ["no such host", "127.0.0.1\0", 5, "x" * 400])
def test_hosts_that_cannot_be_had(host):
    with refused(ViewError, "is not available"):
        four_bar().view(open=False, wait=False, host=host)


# -- values ----------------------------------------------------------------------------------------------------


def slid(viewer, slider, value):
    """What happens when a browser sends a value."""
    slider._impl.value = value
    for callback in slider._impl.update_cb:
        callback(SimpleNamespace(client=object(), target=slider))


@pytest.mark.parametrize("make", [four_bar, pendulum])
def test_sliders_keep_to_their_ends(make):
    with make().view(open=False, wait=False) as viewer:
        name, slider = next(iter(viewer.sliders.items()))
        for value in (5e7, 1e308, float("inf"), float("nan"), -float("inf")):
            slid(viewer, slider, value)
            assert np.abs(viewer.q).max() <= 3.15
            assert slider.min <= slider.value <= slider.max
        slid(viewer, slider, 0.25)
        assert viewer.q[0] == pytest.approx(0.25)
        assert name == viewer.system.coordinate_names[0]


def test_moves_are_bounded():
    """5e7 rad by steps of 0.1 rad were 4 GB of them, and the view's lock was held for ever."""
    with four_bar().view(open=False, wait=False) as viewer:
        with refused(ChoiceError, "joint 'A'", "5e+07 rad", "viewer.q"):
            viewer.move("A", 5e7)
        with refused(ChoiceError, "joint 'A'"):
            viewer.move("A", -1e308)
        np.testing.assert_array_equal(viewer.q, viewer.system.q0)
    with pendulum().view(open=False, wait=False) as viewer:  # which has no loop to close on the way
        assert viewer.move(viewer.system.coordinate_names[0], 5e7)
        assert viewer.q[0] == 5e7


def test_closing_ends_a_long_move(monkeypatch):
    with four_bar().view(open=False, wait=False) as viewer:
        closing = threading.Thread(target=viewer.close)

        def slowly(system, q, **how):
            if not closing.ident:
                closing.start()
                assert viewer._ending.wait(60)
            return q

        monkeypatch.setattr(posing, "assemble", slowly)
        assert not viewer.move("A", 150.0)
        closing.join(60)
        assert viewer.closed


def test_times_and_speeds_that_no_slider_sends():
    run = made_run(pendulum(), np.linspace(0.0, 1.0, 5))
    with run.view(open=False, wait=False) as viewer:
        viewer.pause()
        viewer.time = run.t[1]
        for value in (float("nan"), float("inf"), -float("inf")):
            slid(viewer, viewer.slider, value)
            assert viewer.time == run.t[1]
        slid(viewer, viewer.slider, 1e308)
        assert viewer.time == run.t[-1]
        viewer.speed._impl.value = "1e308"
        viewer.time = run.t[0]
        viewer.play()
        for _ in range(6000):
            if viewer.time > run.t[0]:
                break
            threading.Event().wait(0.01)
        assert run.t[0] < viewer.time <= run.t[-1]
        assert ct.Run is type(run)


def sent(viewer, data):
    """How the server ends a connection that sends this, or None if it does not."""
    where = urlsplit(viewer.url)
    address = f"ws://127.0.0.1:{where.port}{where.path}"

    async def ending():
        async with websockets.connect(
            address, subprotocols=[f"viser-v{viser.__version__}"], max_size=None, open_timeout=60
        ) as socket:
            await socket.recv()
            await socket.send(data)
            pong = await socket.ping()
            try:
                async with asyncio.timeout(60):
                    async for _ in socket:
                        if pong.done():  # what came before the ping has been read
                            return None
            except websockets.ConnectionClosed:
                pass
            return socket.close_code

    return asyncio.run(ending())


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\xff" * 1000, b"\x91" * 5000, b"\x81\xa4type\xa3xxx", b"\x90", "text"]
)
def test_messages_that_cannot_be_read(viewer, data, capfd, caplog):
    """They end the connection that they came from, without a word on the terminal; the others are served."""
    assert sent(viewer, data) == 1007
    assert connected(viewer) > 0
    assert capfd.readouterr() == ("", "")
    assert not [r for r in caplog.records if r.exc_info]


def test_errors_of_messages_that_cannot_be_obeyed(capfd, caplog):
    """They are passed over; others of the same loop are reported."""

    class Handler:
        async def _handle_incoming_message(self):
            raise KeyError("no such slider")

    async def other():
        raise KeyError("a fault")

    async def handler(connection):
        for task in [asyncio.ensure_future(Handler()._handle_incoming_message()), asyncio.ensure_future(other())]:
            await asyncio.wait([task])
        del task

    async def served():
        await gate.forgiving(handler)(None)
        gc.collect()

    asyncio.run(served())
    assert [str(r.exc_info[1]) for r in caplog.records if r.exc_info] == ["'a fault'"]
