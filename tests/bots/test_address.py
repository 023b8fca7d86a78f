"""Addresses of bots over HTTP. The ones that aren't refused must work (spec/http-bots.md, 1)."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
from pathlib import Path

import h11
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.bots.address import Address, parse_address
from referee.errors import BotNotFoundError
from tests.support.helpers import TIMES
from tests.support.live import referee

CONTEXT = ssl.create_default_context()
LABEL = "a" * 63
LONGEST = f"{'a.' * 126}a"
REFUSED = [
    "",
    "/",
    ":80/",
    "?x",
    "a b/",
    "a/b c",
    "a/\u00a0",
    "a/#b",
    "a#b",
    "@a/",
    "u@v@a/",
    "a\\@b/",
    "\udcff/",
    "a/\udcff",
    # ports
    "127.0.0.1:port/",
    "127.0.0.1:99999/",
    "127.0.0.1:65536/",
    "127.0.0.1:0/",
    "127.0.0.1:-1/",
    "127.0.0.1:+1/",
    "127.0.0.1:8_0/",
    "127.0.0.1:\uff18\uff10/",
    "127.0.0.1:/",
    f"127.0.0.1:{'9' * 5000}/",
    # hosts
    ".../",
    ".a/",
    "a..b:9/",
    f"{LABEL}a/",
    f"{LONGEST}a/",
    f"{'ä' * 64}/",
    "a%2eb/",
    "a,b/",
    "*/",
    "xn--\u0430/",
    "256.1.1.1/",
    "1.2.3.4.5/",
    "[/",
    "[]/",
    "[::1/",
    "[::1]80/",
    "[::1]x/",
    "a[::1]/",
    "[127.0.0.1]/",
    "[:::1]/",
]


@pytest.mark.parametrize(
    ("url", "host", "port", "target", "shown"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1", 8000, "/", "127.0.0.1:8000"),
        ("http://Bots.example/a%20b", "bots.example", 80, "/a%20b", "bots.example"),
        ("https://a.example.:443?x=1&y", "a.example.", 443, "/?x=1&y", "a.example."),
        ("http://[0::1]:65535/", "::1", 65535, "/", "[::1]:65535"),
        ("http://[fe80::1%lo]:1/", "fe80::1%lo", 1, "/", "[fe80::1%lo]:1"),
        ("http://my_bot:00080/", "my_bot", 80, "/", "my_bot"),
        (f"http://{LABEL}/", LABEL, 80, "/", LABEL),
        (f"http://{LONGEST}/", LONGEST, 80, "/", LONGEST),
        ("http://127.1/", "127.1", 80, "/", "127.1"),
        ("http://bücher.example/ä?\x01", "xn--bcher-kva.example", 80, "/%C3%A4?%01", None),
        ("http://a/{x}/../%zz?[a]", "a", 80, "/%7Bx%7D/../%zz?[a]", "a"),
    ],
)
def test_what_is_asked(url: str, host: str, port: int, target: str, shown: str | None) -> None:
    headers = {"Host": shown or host}
    assert parse_address(url) == Address(url.startswith("https"), host, port, target, headers)


@pytest.mark.parametrize(
    ("user", "sent"), [("me", "bWU6"), ("me:", "bWU6"), ("%C3%A4:a:b%40", "w6Q6YTpiQA==")]
)
def test_a_user_stands_in_a_header_alone(user: str, sent: str) -> None:
    address = parse_address(f"http://{user}@a/")
    assert address == Address(False, "a", 80, "/", {"Host": "a", "Authorization": f"Basic {sent}"})


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(BotNotFoundError, match=r"^BOT '.*' is not a valid address: "):
        parse_address(f"http://{text}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a:99999", "port '99999', expected 1 to 65535"),
        ("a..b", "'a..b' is not a host name or an IP address"),
        ("a b", "expected http://HOST:PORT/PATH, with %20 for a space and %23 for #"),
        ("a/\udcff", "it is not UTF-8"),
    ],
)
def test_what_is_said(text: str, problem: str) -> None:
    with pytest.raises(BotNotFoundError, match=f"{re.escape(problem)}$"):
        parse_address(f"http://{text}")


PIECES = st.sampled_from(
    ["a", "xn--a", "ß", ".", "..", ":", "1", "80", "[", "]", "::1", "%", "@", "/", "?", "#", "\\"]
)


@settings(max_examples=12 * TIMES)
@given(st.sampled_from(["http://", "https://"]), st.text() | st.lists(PIECES).map("".join))
@example("http://", f"{LABEL}.a")
@example("https://", "xn--a")
@example("https://", "[::1%\x00]")
def test_any_text_is_an_address_or_refused_in_one_line(scheme: str, text: str) -> None:
    try:
        address = parse_address(scheme + text)
    except BotNotFoundError as error:
        said = str(error)
        assert said.isprintable()
        return
    # The lookup may fail with an OSError. Everything after it must work.
    with contextlib.suppress(OSError):
        socket.getaddrinfo(address.host, address.port, flags=socket.AI_NUMERICHOST)
    CONTEXT.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=address.host)
    assert 1 <= address.port <= 65535
    h11.Request(method="POST", target=address.target, headers=list(address.headers.items()))


@pytest.mark.parametrize("command", ["play", "conform", "tournament"])
def test_a_command_refuses_it_before_anything_starts(command: str, tmp_path: Path) -> None:
    others = {"play": ["minimal"], "conform": [], "tournament": ["minimal"]}
    store = ["--store", str(tmp_path / "store")] if command == "tournament" else []
    done = referee(command, *others[command], "http://a..b:9/", *store)
    problem = (
        "BOT 'http://a..b:9/' is not a valid address: 'a..b' is not a host name or an IP address"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [f"referee: {problem}"]
    assert not list(tmp_path.iterdir())
