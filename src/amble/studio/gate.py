"""The server's gate: who may connect, how many, and how much they may say."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from http import HTTPStatus
from io import StringIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from amble.errors import InputError
from amble.motion.browser import require_viser

if TYPE_CHECKING:
    import viser

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LARGEST_MESSAGE = 2**20  # [bytes] from a browser; what it sends is poses of cameras and sliders
MOST_CLIENTS = 8
PORT = 8080


def is_loopback(host: str) -> bool:
    """Whether nobody on another machine can reach this address."""
    return host in LOOPBACK


def open_server(
    host: str = LOOPBACK[0], port: int = PORT, most_clients: int = MOST_CLIENTS
) -> viser.ViserServer:
    """A server that takes at most `most_clients` pages that it has served itself.

    A page of another site that a browser shows cannot connect (its origin is another), nor one by
    another name for this machine. Messages beyond `LARGEST_MESSAGE` and those that are no messages
    end their connection, and nothing else.
    """
    require_viser()
    if not 0 <= port <= 65535:
        raise InputError(f"port {port} is not allowed; give one from 0 (any that is free) to 65535")
    if most_clients < 1:
        raise InputError(f"{most_clients} pages at most; give 1 or more")
    _check_host(host)
    import viser
    from viser import _messages
    from viser.infra import _infra

    gate = _Gate(host, most_clients)
    serve = _infra.websockets.asyncio.server.serve

    def guarded(*arguments: Any, **options: Any) -> Any:
        options["max_size"] = LARGEST_MESSAGE
        options["process_request"] = gate.around(options["process_request"])
        return serve(*arguments, **options)

    # viser has no options for these; its thread looks the function up when it starts.
    home: Any = _infra.websockets.asyncio.server
    home.serve = guarded
    try:
        with redirect_stdout(StringIO()):
            server = viser.ViserServer(host=host, port=port, label="amble", verbose=False)
    finally:
        home.serve = serve
    gate.connected = server._websock_server._live_connections
    for kind in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        # Nobody may have this machine's page shown to the world.
        server._websock_server._incoming_handlers.pop(kind, None)
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # refusals are no news
    return server


def _check_host(host: str) -> None:
    """Raise `InputError` for an address that is none of this machine's."""
    try:
        family, _, _, _, place = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as one:
            one.bind(place)
    except (OSError, UnicodeError):
        raise InputError(
            f"host '{host}' cannot be listened at; give 127.0.0.1, 0.0.0.0 or an own address"
        ) from None


def close_server(server: viser.ViserServer) -> None:
    """Close it without a word."""
    with redirect_stdout(StringIO()):
        server.stop()


class _Gate:
    """Decides on every request before a connection is made of it."""

    def __init__(self, host: str, most_clients: int) -> None:
        self._local, self._most = is_loopback(host), most_clients
        self._lock = threading.Lock()
        self.connected: Any = ()

    def around(self, then: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """What viser does with a request, for those that are let in."""

        def process(connection: Any, request: Any) -> Any:
            refusal = self._refusal(request)
            return then(connection, request) if refusal is None else connection.respond(*refusal)

        return process

    def _refusal(self, request: Any) -> tuple[HTTPStatus, str] | None:
        named = request.headers.get("Host", "")
        if self._local and urlsplit(f"//{named}").hostname not in LOOPBACK:
            return HTTPStatus.FORBIDDEN, "amble: open it as http://127.0.0.1\n"
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return None
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != named:
            return HTTPStatus.FORBIDDEN, "amble: pages of other sites may not connect\n"
        with self._lock:
            if len(self.connected) >= self._most:
                return HTTPStatus.SERVICE_UNAVAILABLE, f"amble: {self._most} pages are open\n"
        return None
