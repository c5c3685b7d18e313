"""The gate refuses what does not belong, and the server lives on."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("viser", reason="viser is not installed")
import viser
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from amble.cli.app import run
from amble.cli.browse import serve
from amble.errors import InputError
from amble.motion import browser
from amble.studio.gate import LARGEST_MESSAGE, close_server, open_server

VERSION = Subprotocol(f"viser-v{viser.__version__}")


@pytest.fixture(scope="module")
def server() -> Iterator[viser.ViserServer]:
    server = open_server(port=0, most_clients=2)
    yield server
    close_server(server)


def page(server: viser.ViserServer, origin: str | None = None) -> ClientConnection:
    given = None if origin is None else Origin(origin)
    address = f"ws://127.0.0.1:{server.get_port()}"
    return connect(address, origin=given, subprotocols=[VERSION], max_size=None)


def status(server: viser.ViserServer, path: str, host: str | None = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.get_port(), timeout=10)
    connection.request("GET", path, headers={"Host": host} if host else {})
    code = connection.getresponse().status
    connection.close()
    return code


def wait_until_empty(server: viser.ViserServer) -> None:
    end = time.monotonic() + 10
    while server._websock_server._live_connections and time.monotonic() < end:
        time.sleep(0.05)
    assert not server._websock_server._live_connections


def test_pages_of_other_sites_and_names_are_refused(server: viser.ViserServer) -> None:
    with pytest.raises(InvalidStatus) as refused:
        page(server, "https://example.org")
    assert refused.value.response.status_code == 403
    with page(server, f"http://127.0.0.1:{server.get_port()}"):
        pass
    assert status(server, "/", host="example.org") == 403
    assert status(server, "/") == 200
    wait_until_empty(server)


def test_no_more_than_the_set_number_of_pages(server: viser.ViserServer) -> None:
    with page(server), page(server):
        end = time.monotonic() + 10
        while len(server._websock_server._live_connections) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        with pytest.raises(InvalidStatus) as refused:
            page(server)
        assert refused.value.response.status_code == 503
    wait_until_empty(server)
    with page(server):
        pass
    wait_until_empty(server)


@pytest.mark.parametrize(
    "said", [b"\x00" * 100, b"not a message", "text", b"\x93" * (LARGEST_MESSAGE + 1)]
)
def test_what_is_no_message_ends_its_connection_only(
    server: viser.ViserServer, said: bytes | str
) -> None:
    with pytest.raises((ConnectionClosed, OSError)), page(server) as connection:
        connection.send(said)
        while True:
            connection.recv(timeout=10)
    wait_until_empty(server)
    assert status(server, "/") == 200


@pytest.mark.parametrize("path", ["/../../pyproject.toml", "/%2e%2e/%2e%2e/x", "/nothing"])
def test_only_the_page_itself_is_served(server: viser.ViserServer, path: str) -> None:
    assert status(server, path) == 404


def test_the_loopback_is_the_default_and_leaving_it_is_warned_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Page:
        address = "http://0.0.0.0:1"
        stopped = False

        def run(self) -> None:
            raise KeyboardInterrupt

        def stop(self) -> None:
            self.stopped = True

    one = Page()
    assert serve(one, "0.0.0.0", open_page=False) == 0 and one.stopped
    assert "anybody who reaches 0.0.0.0" in capsys.readouterr().err
    serve(Page(), "127.0.0.1", open_page=False)
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="port 70000 is not allowed"):
        open_server(port=70000)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "missing.npz"], "missing.npz: no such file"),
        (["show", "clip.fbx"], "unknown kind of clip '.fbx'"),
        (["show", "a.npz", "--scale", "2"], "are for .bvh files only"),
        (["show", "a.npz", "-o", "a.avi"], "unknown file ending '.avi'"),
        (["studio", "--character", "humanoit"], "did you mean humanoid"),
        (["studio", "--terrain", "slop"], "did you mean slope"),
        (["studio", "--character", "../robot.xml"], "outside the working folder"),
        (["studio", "--scenario", "humanoid-wolk"], "did you mean humanoid-walk"),
        (["studio", "--scenario", "../walk.npz"], "outside the working folder"),
        (["studio", "--scenario", "missing.npz"], "missing.npz: no such file"),
        (["studio", "--port", "-1"], "give one from 0"),
        (["studio", "--clients", "0"], "0 pages at most; give 1 or more"),
        (["studio", "--host", "192.0.2.1"], "cannot be listened at"),
        (["studio", "--host", "no such host"], "cannot be listened at"),
        (["show", "half.bvh"], "half.bvh: ends after line 1; ROOT and its name must follow"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("half.bvh").write_text("HIERARCHY\n")
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert threading.active_count() < 50


@pytest.mark.parametrize(
    "arguments", [["studio"], ["show", "a.npz"], ["show", "a", "-o", "a.html"]]
)
def test_without_viser_it_says_what_to_install(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(browser, "find_spec", lambda name: None)
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert "pip install 'amble[studio]'" in error and error.count("\n") == 1
