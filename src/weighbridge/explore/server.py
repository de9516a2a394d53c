# SPDX-License-Identifier: Apache-2.0
"""The page's server: this machine's own address, a token in the path, and nothing but GET.

Another site's page that guesses the port meets three locks: its Host or Origin is not this
server's, it does not know the token, and it could not read an answer. Threads work out the answers,
so that the server takes up a request while it works on others.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from weighbridge.errors import InputError
from weighbridge.explore.lab import Advance, Lab
from weighbridge.explore.moves import Moves, Superseded
from weighbridge.explore.questions import Question

HOST = "127.0.0.1"
#: Characters of a query at most.
_LONGEST_QUERY = 8192
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
#: Nothing from elsewhere, and nobody else's frame. Vega writes styles into its elements.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
#: A method of the lab that answers a question.
Answer = Callable[[Question, Advance], dict[str, Any]]


class _Guard:
    """Refuses what does not come from the page itself, before anything reads it."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        status, why = self._refusal(scope)
        if status:
            await _line(why, status)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 403, "this server answers to its own address alone"
        if any(origin != f"http://{hosts[0]}" for origin in headers.get("origin", [])):
            return 403, "this server answers to its own page alone"
        sites = headers.get("sec-fetch-site", [])
        if any(site not in ("same-origin", "none") for site in sites):
            return 403, "this server answers to its own page alone"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "this server only answers"
        token = scope["path"].lstrip("/").partition("/")[0]
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            return 403, "the address has another token; weighbridge prints the right one"
        if len(scope["query_string"]) > _LONGEST_QUERY:
            return 414, f"a query of {len(scope['query_string'])} characters"
        return 0, ""


def _line(text: str, status: int) -> Response:
    return Response(text + "\n", status, _HEADERS, "text/plain; charset=utf-8")


def _json(told: object, status: int = 200) -> Response:
    text = json.dumps(told, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # What a query quotes may hold half a character.
    return Response(text.encode("utf-8", "replace"), status, _HEADERS, "application/json")


def _whole(text: str, name: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise InputError(f"{name} '{text[:40]}' is no number")
    return int(text)


class _Pages:
    """The routes below the token."""

    def __init__(self, lab: Lab, start: str) -> None:
        self._lab, self._start = lab, start
        self._moves = Moves()
        # The ranking and the path never wait behind what takes longer.
        self._quick, self._slow = CapacityLimiter(2), CapacityLimiter(1)

    def close(self) -> None:
        self._moves.close()

    def routes(self) -> list[Route]:
        lab = self._lab
        quick: tuple[Answer, ...] = (lab.ranking, lab.path, lab.platform_file)
        slow: tuple[Answer, ...] = (lab.turns, lab.parameters, lab.curves, lab.timeline)
        routes = [
            Route(f"/{answer.__name__}.json", partial(self._answered, answer, limiter))
            for limiter, answers in ((self._quick, quick), (self._slow, slow))
            for answer in answers
        ]
        routes += [Route("/setup.json", self._setup), Route("/vega.js", self._vega)]
        return [*routes, Route("/", self._file), Route("/{name}", self._file)]

    async def _answered(self, answer: Answer, limiter: CapacityLimiter, asked: Request) -> Response:
        try:
            text = asked.scope["query_string"].decode("ascii")
            pairs = parse_qsl(text, True, True, errors="strict", max_num_fields=100)
            own = {"page": "", "move": "0"}
            own |= {name: value for name, value in pairs if name in own}
            move = _whole(own["move"], "move")
            advance = partial(self._moves.check, own["page"][:40], move)
            self._moves.begin(own["page"][:40], move)
            question = self._lab.question([pair for pair in pairs if pair[0] not in own])

            def work() -> dict[str, Any]:
                advance()
                return answer(question, advance)

            return _json(await to_thread.run_sync(work, limiter=limiter))
        except Superseded:
            return _json({"superseded": True}, 409)
        except InputError as error:
            return _json({"error": "; ".join(str(error).splitlines())}, 400)
        except ValueError as error:
            return _json({"error": f"a query that nobody can read: {error}"}, 400)

    async def _setup(self, asked: Request) -> Response:
        return _json(self._lab.setup() | {"start": self._start, "live": True})

    async def _vega(self, asked: Request) -> Response:
        text = await to_thread.run_sync(vega)
        return Response(text, 200, _HEADERS, _KINDS[".js"])

    async def _file(self, asked: Request) -> Response:
        name = asked.path_params.get("name", "index.html")
        if name not in page_files():
            return _line("no such page", 404)
        return Response(page_files()[name], 200, _HEADERS, _KINDS[name[name.rindex(".") :]])


@cache
def page_files() -> dict[str, bytes]:
    """The page's own files by their names."""
    folder = files("weighbridge.explore") / "page"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@cache
def vega() -> str:
    """The chart library as one script, which needs no network."""
    import vl_convert

    from weighbridge.report.page import VEGA_LITE

    bundle: str = vl_convert.javascript_bundle(
        "window.vegaEmbed = vegaEmbed;", vl_version=VEGA_LITE
    )
    return bundle


def application(lab: Lab, start: str, port: int, token: str) -> tuple[ASGIApp, Callable[[], None]]:
    """The server's application, and what ends the work that is under way."""
    pages = _Pages(lab, start)
    inner = Starlette(routes=[Route(f"/{token}{one.path}", one.endpoint) for one in pages.routes()])
    inner.router.redirect_slashes = False
    return _Guard(inner, port, token), pages.close


def serve(lab: Lab, start: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the page of a lab until it is interrupted.

    start: the platform shown first. port: 0 takes any that is free. ready: called with the address
    once it answers. Raises InputError for a port that cannot be had.
    """
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(f"port {port}: {why}", mend="give another with --port") from None
        listening.listen()
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(16)
        app, close = application(lab, start, port, token)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, lifespan="off",
            timeout_graceful_shutdown=2,
        )  # fmt: skip
        ready(f"http://{HOST}:{port}/{token}/")
        server = _Server(config, close)
        with suppress(KeyboardInterrupt):  # the usual end
            asyncio.run(server.serve(sockets=[listening]))


class _Server(uvicorn.Server):
    """Gives up what is being worked out before it waits for its connections to end."""

    def __init__(self, config: uvicorn.Config, close: Callable[[], None]) -> None:
        super().__init__(config)
        self._close = close

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._close()
        await super().shutdown(sockets)
