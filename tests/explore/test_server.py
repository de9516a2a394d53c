# SPDX-License-Identifier: Apache-2.0
"""Who is answered, what is refused, and that whatever is sent gets an answer or one line."""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weighbridge.explore.moves import Moves, Superseded
from weighbridge.explore.questions import KEYS
from weighbridge.explore.server import page_files
from weighbridge.platforms import load_platform

from .conftest import PORT, TOKEN, Client

GOOD = {"platform": "cyclonev", "size": "64", "direction": "cpu_to_fpga", "os": "linux"}


def one_line(body: bytes) -> str:
    """The line of a refusal, whatever it came as."""
    text = body.decode()
    line = json.loads(text)["error"] if text.startswith("{") else text.rstrip("\n")
    assert isinstance(line, str)
    assert line
    assert "\n" not in line
    assert line.isprintable()
    return line


def test_its_own_page_is_answered(client: Client) -> None:
    for path in (f"/{TOKEN}/", *(f"/{TOKEN}/{name}" for name in page_files())):
        status, body, headers = client.get(path)
        assert (status, bool(body)) == (200, True), path
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["x-content-type-options"] == "nosniff"
        assert "unsafe-eval" not in headers["content-security-policy"]
    origin = {"origin": f"http://127.0.0.1:{PORT}", "sec-fetch-site": "same-origin"}
    assert client.get(f"/{TOKEN}/ranking.json", urlencode(GOOD), origin)[0] == 200
    local = {"host": f"localhost:{PORT}"}
    assert client.get(f"/{TOKEN}/setup.json", headers=local)[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "example.org"},
        {"host": "127.0.0.1"},
        {"host": f"127.0.0.1:{PORT + 1}"},
        {"host": f"127.0.0.1:{PORT}.example.org"},
        {"origin": "http://example.org"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": f"http://localhost:{PORT}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_pages_are_refused(client: Client, headers: dict[str, str]) -> None:
    for name in ("", "ranking.json", "main.js"):
        status, body, _ = client.get(f"/{TOKEN}/{name}", urlencode(GOOD), headers)
        assert status == 403
        assert "its own" in one_line(body)


@pytest.mark.parametrize("path", ["/", "", "/ranking.json", "/tokem/", "/token2/", "//token/", "*"])
def test_other_tokens_are_refused(client: Client, path: str) -> None:
    status, body, _ = client.get(path)
    assert status in (403, 404)
    assert TOKEN not in one_line(body).split()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "X"])
def test_it_only_answers(client: Client, method: str) -> None:
    status, body, _ = client.get(f"/{TOKEN}/ranking.json", urlencode(GOOD), method=method)
    assert status == 405
    one_line(body)


@pytest.mark.parametrize(
    "name",
    [
        "../lab.py",
        "..",
        "%2e%2e/lab.py",
        "page/main.js",
        "main.js/",
        "__init__.py",
        "\0",
        "x" * 999,
    ],
)
def test_only_the_pages_own_files_are_given(client: Client, name: str) -> None:
    status, body, _ = client.get(f"/{TOKEN}/{name}")
    assert status == 404
    assert b"SPDX" not in body


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"platform": "/etc/passwd"}, "allowed: cyclonev"),
        ({"platform": "../cyclonev"}, "allowed: cyclonev"),
        ({"size": ""}, "no size"),
        ({"size": "64 parsecs"}, "unknown unit"),
        ({"size": "8GiB"}, "too large"),
        ({"direction": "sideways"}, "not a direction"),
        ({"os": "plan9"}, "no path has os"),
        ({"fpga_mhz": "1e9"}, "no fabric's"),
        ({"stream": "yes"}, "1, or left out"),
        ({"depth": "3"}, "add stream=1"),
        ({"stream": "1", "depth": "9999"}, "allowed: 1 to 64"),
        ({"stream": "1", "depth": "-1"}, "whole number"),
        ({"consume": "eat"}, "allowed: none"),
        ({"processor": "200%"}, "above 0"),
        ({"processor": "nan"}, "above 0"),
        ({"rate": "fast"}, "not a rate"),
        ({"latency": "5"}, "no unit"),
        ({"set": "sdram.clock"}, "not PARAMETER=VALUE"),
        ({"set": "sdram.clock=-1MHz"}, "it must be"),
        ({"set": "sdram.clock=9**9**9"}, "not a quantity"),
        ({"set": "sdram.nothing=1"}, "unknown parameter"),
        ({"path": "master=nobody"}, "no path"),
        ({"eval": "1"}, "no part of a question"),
        ({"move": "-1"}, "is no number"),
        ({"size": "1" * 400}, "characters"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_one_line(
    client: Client, change: dict[str, str], said: str
) -> None:
    kind = "path" if "path" in change else "ranking"
    status, body, _ = client.get(f"/{TOKEN}/{kind}.json", urlencode(GOOD | change))
    assert status == 400
    assert said in one_line(body)


def test_a_word_twice_and_too_many_of_them(client: Client) -> None:
    where = f"/{TOKEN}/ranking.json"
    good = urlencode(GOOD)
    assert "twice" in one_line(client.get(where, f"{good}&size=65")[1])
    several = "".join(f"&set=x{number}.y=1" for number in range(60))
    assert "at most 40" in one_line(client.get(where, good + several)[1])
    assert client.get(where, good + "&a=1" * 200)[0] == 400
    assert client.get(where, good + "&size=" + "1" * 10_000)[0] == 414
    assert client.get(where, b"\xff\xfe=1")[0] == 400
    assert client.get(where, f"{good}&os=%ff")[0] == 400


_PARAMETERS = [one.name for one in load_platform("cyclonev").parameters()]
_USUAL = (
    " 0 1 -1 1e309 nan 64KiB 1B cpu_to_fpga fpga_to_cpu linux baremetal none cpu-stream 1us 1GB/s "
    "150 cyclonev zynq7000"
)
_WORDS = st.one_of(
    st.sampled_from(_USUAL.split(" ")),
    st.text(max_size=20),
    st.builds(
        "{}={}{}".format,
        st.sampled_from(_PARAMETERS),
        st.one_of(st.floats(), st.integers(), st.text(max_size=6)),
        st.sampled_from(["", "MHz", "ns", "bit", "KiB", "cycles"]),
    ),
)
_PAIRS = st.lists(st.tuples(st.sampled_from([*KEYS, "set", "page", "x"]), _WORDS), max_size=5)
_KINDS = st.sampled_from(["ranking", "path", "platform_file"])


@settings(max_examples=150)
@given(kind=_KINDS, pairs=_PAIRS, whole=st.booleans())
def test_any_query_is_answered_or_refused_with_one_line(
    client: Client, kind: str, pairs: list[tuple[str, str]], whole: bool
) -> None:
    said = {name for name, _ in pairs}
    good = [(name, text) for name, text in GOOD.items() if whole and name not in said]
    query = urlencode([*good, *pairs], errors="surrogatepass")
    status, body, _ = client.get(f"/{TOKEN}/{kind}.json", query)
    assert status in (200, 400), body
    if status == 400:
        one_line(body)
    else:
        json.loads(body, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@settings(max_examples=150)
@given(query=st.binary(max_size=60), path=st.text(max_size=20))
def test_any_bytes_are_answered_or_refused_with_one_line(
    client: Client, query: bytes, path: str
) -> None:
    status, body, _ = client.get(f"/{TOKEN}/ranking.json", query)
    assert status in (400, 409)
    one_line(body)
    status, body, _ = client.get(f"/{TOKEN}/{quote(path)}"[:90])
    assert status in (200, 400, 404)
    status, _, _ = client.get(f"/{path}")
    assert status in (403, 404)


def test_a_newer_move_supersedes_older_ones() -> None:
    moves = Moves()
    moves.begin("page", 3)
    moves.check("page", 3)
    moves.begin("page", 5)
    moves.begin("other", 1)
    with pytest.raises(Superseded):
        moves.check("page", 3)
    with pytest.raises(Superseded):
        moves.begin("page", 4)
    moves.check("other", 1)
    for number in range(100):
        moves.begin(f"one of many {number}", 1)
    moves.begin("page", 1)  # long forgotten
    moves.close()
    with pytest.raises(Superseded):
        moves.check("other", 1)


def test_an_answer_that_nobody_waits_for_is_given_up(client: Client) -> None:
    where, good = f"/{TOKEN}/ranking.json", urlencode(GOOD)
    assert client.get(where, f"{good}&page=a&move=7")[0] == 200
    status, body, _ = client.get(where, f"{good}&page=a&move=6")
    assert (status, json.loads(body)) == (409, {"superseded": True})
    assert client.get(where, f"{good}&page=b&move=6")[0] == 200
