"""Finding out why the system refuses to run a file that exists."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.bots.processes import program
from referee.bots.processes.program import check_program, why_not_runnable
from tests.support.live import referee
from tests.support.marks import slow
from tests.support.sandboxed import needs_bwrap

CRLF = "its first line ends with a carriage return"
NO_INTERPRETER = "its first line names the interpreter {}, which does not exist"
ARM, ARM_64, X86, X86_64, RISC_V = 40, 183, 3, 62, 243


def elf(machine: int, loader: bytes = b"", *, bits: int = 64, order: str = "<") -> bytes:
    """Return the headers of an ELF file, with a segment that names `loader` if there is one."""
    is_64 = bits == 64
    size, entry = (64, 56) if is_64 else (52, 32)
    word = "Q" if is_64 else "I"
    head = b"\x7fELF" + bytes([2 if is_64 else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    head += struct.pack(f"{order}HHI{word}{word}{word}", 3, machine, 1, 0, size, 0)
    head += struct.pack(f"{order}IHHHHHH", 0, size, entry, 2 if loader else 0, 64, 0, 0)
    if not loader:
        return head
    at = size + 2 * entry
    first = struct.pack(f"{order}I", 6).ljust(entry, b"\0")
    second = struct.pack(f"{order}IIQ", 3, 4, at) if is_64 else struct.pack(f"{order}II", 3, at)
    return head + first + second.ljust(entry, b"\0") + loader + b"\0"


def made(path: Path, content: bytes, mode: int = 0o755) -> str:
    path.write_bytes(content)
    path.chmod(mode)
    return str(path)


SCRIPTS = {
    b"#!/bin/sh\r\necho\r\n": CRLF,
    b"#! /usr/bin/python3\r\nprint()\r\n": CRLF,
    b"#!/bin/sh\r": CRLF,
    b"#!/no/such/env/bin/python\nprint()\n": NO_INTERPRETER.format("/no/such/env/bin/python"),
    b"#!python3\n": NO_INTERPRETER.format("python3"),
    b"#!/no/such/python -u\r\n": NO_INTERPRETER.format("/no/such/python"),
    b"#!/no/such/python\0-u\n": NO_INTERPRETER.format("/no/such/python"),
    b"#!/no/such/\xff\x1b\n": NO_INTERPRETER.format(r"/no/such/\xff\x1b"),
    b"#!/etc/passwd\n": "its interpreter /etc/passwd cannot be run: it is not executable",
    b"#!/usr\n": "its interpreter /usr cannot be run: it is not a file",
    b"#!\necho\n": "its first line names no interpreter",
    b"#! \r\necho\r\n": "its first line names no interpreter",
    b"#!/" + b"x" * 300 + b"\n": "its first line is longer than the 256 bytes",
    b"#!/" + b"x" * 254 + b"\n": "its first line is longer than the 256 bytes",
    b"#!/" + b"x" * 253: "its first line is longer than the 256 bytes",
    b"#!/" + b"x" * 252: NO_INTERPRETER.format("/" + "x" * 252),
    b"#!/" + b"x" * 252 + b"\n": NO_INTERPRETER.format("/" + "x" * 252),
    b"#!/" + b"x" * 125 + b"\n": "(old systems read only 127 bytes of it)",
    b"#!/" + b"x" * 124 + b"\n": "install the interpreter, or change the line",
    b"#!/" + b"x" * 200 + b"\n": "(old systems read only 127 bytes of it)",
    b"": "it is empty",
    b"print()\n": "a script needs a first line such as #!/usr/bin/env node",
    b"\n#!/bin/sh\n": "a script needs a first line such as #!/usr/bin/env node",
    b"\xef\xbb\xbf#!/bin/sh\n": "UTF-8 with a byte order mark",
    "\ufeff#!/bin/sh\n".encode("utf-16-le"): "UTF-16 with a byte order mark",
}


@pytest.mark.parametrize("content", SCRIPTS)
def test_a_script(content: bytes, tmp_path: Path) -> None:
    path = made(tmp_path / "bot", content)
    assert SCRIPTS[content] in (why := why_not_runnable(path, ""))
    assert ("old systems" in why) == (127 < len(content.partition(b"\n")[0]) < 256)
    assert str(tmp_path) not in why
    assert why.isprintable()
    assert why == why_not_runnable("bot", str(tmp_path))
    with pytest.raises(OSError, match=r".") as caught:
        check_program(path, "")
    assert caught.value.strerror == why
    with pytest.raises(OSError, match=r"."):  # the system refuses it as well
        subprocess.run([path], check=False, cwd=tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"#!/bin/sh\nexit\n",
        b"#! \t/bin/sh -e \nexit\n",
        b"#!/bin/sh",
        b"#!/usr/bin/env sh\n",
        b"#!/bin/sh " + b"-e" * 200 + b"\n",
        b"#!bin/mine\n",
    ],
)
def test_a_script_that_runs(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    made(tmp_path / "bin" / "mine", b"#!/bin/sh\n")
    path = made(tmp_path / "bot", content)
    assert why_not_runnable(path, str(tmp_path)) == ""
    subprocess.run([path], check=False, cwd=tmp_path, capture_output=True)


OTHER = "it was built for another processor: "
PROGRAMS = {
    "musl": (elf(X86_64, b"/lib/ld-musl-none.so.1"), "the loader /lib/ld-musl-none.so.1, which"),
    "moved": (elf(X86_64, b"/nix/store/none/ld.so"), "the loader /nix/store/none/ld.so, which"),
    "ARM 64": (elf(ARM_64, b"/lib/x"), OTHER),
    "RISC-V": (elf(RISC_V), OTHER),
    "ARM": (elf(ARM, bits=32), OTHER),
    "32 bits": (elf(X86, bits=32), OTHER),
    "x32": (elf(X86_64, bits=32), OTHER),
    "MIPS": (elf(8, bits=32, order=">"), OTHER),
    "unknown": (elf(999), OTHER),
    "cut off": (b"\x7fELF", OTHER),
    "Windows": (b"MZ\x90\0" + bytes(60), "for Windows"),
    "Windows, old": (b"MZ" + b"x" * 60, "for Windows"),
    "macOS": (b"\xcf\xfa\xed\xfe" + bytes(60), "for macOS"),
    "macOS, for two": (b"\xca\xfe\xba\xbe\0\0\0\2" + bytes(60), "for macOS"),
    "Java 17": (b"\xca\xfe\xba\xbe\0\0\0\x3d" + bytes(60), "class of Java"),
    "Java 1.1": (b"\xca\xfe\xba\xbe\0\0\0\x2d" + bytes(60), "class of Java"),
    "macOS, for 44": (b"\xca\xfe\xba\xbe\0\0\0\x2c" + bytes(60), "for macOS"),
    "Java 8": (b"\xca\xfe\xba\xbe\0\0\0\x34" + bytes(60), "class of Java"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_compiled_program(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", made(tmp_path / "python", elf(X86_64)))
    content, says = PROGRAMS[name]
    path = made(tmp_path / "bot", content)
    assert says in why_not_runnable(path, "")


@pytest.mark.parametrize(("bits", "order"), [(64, "<"), (32, "<"), (64, ">"), (32, ">")])
def test_a_loader(bits: int, order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loaders are found in every ELF format. A loader that exists can't be the reason."""
    monkeypatch.setattr(sys, "executable", made(tmp_path / "us", elf(9, bits=bits, order=order)))
    path = made(tmp_path / "bot", elf(9, b"/no/ld.so", bits=bits, order=order))
    assert "the loader /no/ld.so, which does not exist" in why_not_runnable(path, "")
    made(tmp_path / "bot", elf(9, b"/bin/sh", bits=bits, order=order))
    assert why_not_runnable(path, "") == ""


def test_programs_that_run() -> None:
    for path in (sys.executable, "/bin/sh", "/usr/bin/env"):
        assert why_not_runnable(path, "") == ""


def test_what_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    made(tmp_path / "it is", b"#!/bin/sh\n", 0o644)
    for path, says in (
        ("none", "it does not exist"),
        ("loop", "it is a symbolic link that leads back to itself"),
        (".", "it is not a file"),
        ("it is", "it is not executable: chmod +x 'it is'"),
    ):
        assert why_not_runnable(path, str(tmp_path)) == says
    says = "the folder in which it is started does not exist"
    assert why_not_runnable("/bin/sh", str(tmp_path / "none")) == says


def test_an_interpreter_that_is_a_script(tmp_path: Path) -> None:
    """The message never quotes the inner script, because a bot could name any file there."""
    inner = made(tmp_path / "inner", b"#!/no/such/secret\n")
    path = made(tmp_path / "bot", f"#!{inner}\n".encode())
    why = why_not_runnable(path, "")
    assert why.startswith(f"its interpreter {inner} cannot be run: its first line names an ")
    assert "secret" not in why
    made(tmp_path / "inner", f"#!{inner}\n".encode())
    assert "too many interpreters are scripts" in why_not_runnable(path, "")


@pytest.mark.parametrize(("scripts", "runs"), [(5, True), (6, False)])
def test_a_chain_of_scripts_has_an_end(scripts: int, runs: bool, tmp_path: Path) -> None:
    """The system follows so many as well."""
    path = "/bin/sh"
    for number in range(scripts):
        path = made(tmp_path / str(number), f"#!{path}\n".encode())
    why = why_not_runnable(path, "")
    assert ("too many interpreters" not in why) == runs
    try:
        subprocess.run([path], check=False, stdin=subprocess.DEVNULL)
    except OSError:
        assert not runs
    else:
        assert runs


@pytest.mark.parametrize("content", [b"#!/bin/sh\n", elf(X86_64)])
def test_a_mount_with_noexec(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path / "bot", content)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert why_not_runnable(path, "") == "this user may not run it: chmod a+rx bot"
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
    assert "mounted with noexec" in why_not_runnable(path, "")
    with pytest.raises(PermissionError) as caught:
        check_program(path, "")
    assert caught.value.errno == errno.EACCES


@pytest.mark.parametrize(
    ("entry", "runs"),
    [
        ("enabled\ninterpreter /q\nflags: \noffset 18\nmagic b700\n", True),
        ("enabled\ninterpreter /q\nflags: \noffset 16\nmagic 0000b700\nmask 0000ffff\n", True),
        ("enabled\ninterpreter /q\nflags: \nextension .arm\n", True),
        ("enabled\ninterpreter /q\nflags: \noffset 0\nmagic 4d5a\n", False),
        ("enabled\ninterpreter /q\nflags: \noffset 62\nmagic 0000\n", True),
        ("enabled\ninterpreter /q\nflags: \noffset 62\nmagic 000000\n", False),  # beyond the end
        ("disabled\ninterpreter /q\nflags: \noffset 18\nmagic b700\n", False),
    ],
)
def test_an_emulator_runs_it(
    entry: str, runs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", made(tmp_path / "python", elf(X86_64)))
    path = made(tmp_path / "bot.arm", elf(ARM_64))
    folder = tmp_path / "loaders"
    folder.mkdir()
    (folder / "status").write_text("enabled\n")
    (folder / "emulator").write_text(entry)
    monkeypatch.setattr(program, "_OTHER_LOADERS", str(folder))
    assert (why_not_runnable(path, "") == "") is runs
    (folder / "status").write_text("disabled\n")
    assert OTHER in why_not_runnable(path, "")


# --- with a process -------------------------------------------------------------------------------

BROKEN = {
    "crlf.sh": (b"#!/bin/sh\r\ncat\r\n", CRLF),
    "crlf": (b"#!/usr/bin/python3\r\nprint()\r\n", CRLF),
    "conda": (b"#!/no/such/conda/bin/python\n", NO_INTERPRETER.format("/no/such/conda/bin/python")),
    "moved": (b"#!/no/env/bin/node -x\n", NO_INTERPRETER.format("/no/env/bin/node")),
}


@pytest.mark.parametrize("kind", ["none", pytest.param("bwrap", marks=needs_bwrap)])
@pytest.mark.parametrize("name", ["crlf.sh", slow("crlf"), slow("conda"), "moved"])
def test_the_commands_say_why(name: str, kind: str, tmp_path: Path) -> None:
    content, says = BROKEN[name]
    path = made(tmp_path / name, content)
    done = referee("play", path, path, "--sandbox", kind, "--seed", "1")
    assert f"failed-to-start, {says}" in " ".join(done.stdout.split())
    done = referee("conform", path, "--sandbox", kind, "--case", "3.4/1")
    assert done.returncode == 1
    assert says in " ".join(done.stdout.split())
