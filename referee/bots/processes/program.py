"""Checks whether the system can run a program, and explains why not.

An `OSError` from exec contains little more than a number. "Exec format error" may mean a missing
`#!` line, the wrong processor or a Windows program, so we look into the file and report the cause.
"""

from __future__ import annotations

import errno
import os
import re
import struct
import sys
from contextlib import suppress
from typing import NamedTuple

from referee.bots.command import is_noexec
from referee.text.terminal import as_text, command_line, escaped

_HEAD = 256  # Linux looks for a #! line in this many bytes of a file
_OLD_HEAD = 127  # before version 5.1, Linux ignored the rest of a longer line
# A script's interpreter may be another script. Linux runs so many of them, with the first.
_DEPTH = 5
_ELF = b"\x7fELF"
# The positions of the format and the processor in an ELF header.
_FORMAT, _MACHINE = slice(0, 6), slice(18, 20)
_PT_INTERP = 3
_MACH_O = (
    *(b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"),
    b"\xca\xfe\xba\xbe",
)
_JAVA = (
    # Class files of Java start with the same bytes as fat binaries of macOS. After these bytes, a
    # class file has its version, and a fat binary has its number of processors. This is the oldest
    # version, and no fat binary has so many processors.
    45
)
_MARKS = {b"\xef\xbb\xbf": "UTF-8 with", b"\xff\xfe": "UTF-16 with", b"\xfe\xff": "UTF-16 with"}
_OTHER_LOADERS = "/proc/sys/fs/binfmt_misc"
_BLANKS = re.compile(rb"[ \t]+")


class _Refusal(NamedTuple):
    """The reason why the system doesn't run a program.

    Attributes:
        number: the error number that we'd get from the system.
        why: a clause with the cause, and with advice if there's any.
    """

    number: int
    why: str


def check_program(path: str, directory: str) -> None:
    """Raise an `OSError` if the system can't run a program. The path is relative to the directory.

    We need this if the bot is started by a shell or by bubblewrap. If the system refuses to run a
    file, they don't report the error, but run the file as a shell script. The error has the same
    text as `why_not_runnable`.
    """
    refusal = _refusal(path, directory)
    if refusal is not None:
        raise OSError(*refusal)


def why_not_runnable(path: str, directory: str) -> str:
    """Explain in a clause why the system can't run a program, or return "" if we don't know.

    The text contains no paths of this machine, except for paths that the program itself contains.

    Args:
        path: the program. If the path is relative, it starts in the directory.
        directory: the working directory of the program, or "" for the current one.
    """
    refusal = _refusal(path, directory)
    return refusal.why if refusal is not None else ""


def interpreter(script: str) -> list[str]:
    """Return the words of a script's `#!` line (e.g. `/usr/bin/env` and `python3`).

    The list is empty if the file has no such line.
    """
    head = _head(script)
    return [os.fsdecode(word) for word in _words(head)] if head.startswith(b"#!") else []


def loader(program: str) -> str:
    """Return the dynamic loader that an ELF program asks for, or "".

    If the loader is missing, the system reports that the program itself doesn't exist. This is
    confusing if the program is clearly there.
    """
    return escaped(as_text(os.fsdecode(_loader(program, _head(program)))))


def _refusal(path: str, directory: str, depth: int = 0) -> _Refusal | None:
    name = command_line([os.path.basename(path)])
    path = os.path.join(directory, path)
    if directory and not os.path.isdir(directory):
        return _Refusal(errno.ENOENT, "the folder in which it is started does not exist")
    try:
        os.stat(path)
    except OSError as error:
        text = {
            errno.ENOENT: "it does not exist",
            errno.ELOOP: "it is a symbolic link that leads back to itself",
        }
        number = error.errno or errno.ENOENT
        return _Refusal(number, text.get(number, os.strerror(number)))
    if not os.path.isfile(path):
        return _Refusal(errno.EACCES, "it is not a file")
    if not os.access(path, os.X_OK):
        return _Refusal(errno.EACCES, _why_no_access(path, name))
    try:
        head, ours = _head(path), _head(sys.executable)
    except OSError:  # executable, but not readable by us
        return None
    if head.startswith(b"#!"):
        return _of_script(head, name, directory, depth)
    why = _of_elf(path, directory, head, ours) if head.startswith(_ELF) else _of_data(head, ours)
    if why and _has_other_loader(head, name):
        return None
    return _Refusal(errno.ENOEXEC, why) if why else None


def _why_no_access(path: str, name: str) -> str:
    if is_noexec(path):
        return (
            "it is on a file system that is mounted with noexec: "
            "copy it to another folder, or name its interpreter"
        )
    if os.stat(path).st_mode & 0o111:
        return f"this user may not run it: chmod a+rx {name}"
    return f"it is not executable: chmod +x {name}"


def _of_script(head: bytes, name: str, directory: str, depth: int) -> _Refusal | None:
    line, end, _ = head.partition(b"\n")
    words = _words(head)
    if not words or words == [b"\r"]:
        return _Refusal(
            errno.ENOEXEC,
            "its first line names no interpreter: it needs one such as #!/usr/bin/env node",
        )
    if not end and len(head) == _HEAD and len(words) == 1 and line[-1:] not in b" \t\0":
        return _Refusal(
            errno.ENOEXEC,
            f"its first line is longer than the {_HEAD} bytes that the system reads: "
            "name an interpreter with a shorter path",
        )
    program = os.fsdecode(words[0])
    shown = escaped(as_text(program))
    if not os.path.exists(os.path.join(directory, program)):
        if len(words) == 1 and program.endswith("\r"):
            why = (
                "its first line ends with a carriage return (Windows line ends): "
                rf"save it with Unix line ends, such as by sed -i 's/\r$//' {name}"
            )
        else:
            # A bot may name any file as its interpreter, and mustn't learn the contents of that
            # file from our message.
            which = "an interpreter that" if depth else f"the interpreter {shown}, which"
            why = (
                f"its first line names {which} does not exist: "
                "install the interpreter, or change the line"
            )
            if len(line) > _OLD_HEAD:
                why += f" (old systems read only {_OLD_HEAD} bytes of it)"
        return _Refusal(errno.ENOENT, why)
    if depth == _DEPTH:
        return _Refusal(errno.ELOOP, "too many interpreters are scripts themselves")
    inner = _refusal(program, directory, depth + 1)
    if inner is None:
        return None
    return _Refusal(inner.number, f"its interpreter {shown} cannot be run: {inner.why}")


def _of_elf(path: str, directory: str, head: bytes, ours: bytes) -> str:
    if not ours.startswith(_ELF):
        return "it is a program for Linux or another system: build it for this one"
    if any(head[part] != ours[part] for part in (_FORMAT, _MACHINE)):
        return "it was built for another processor: build it for this machine"
    loader = os.fsdecode(_loader(path, head))
    if loader and not os.path.exists(os.path.join(directory, loader)):
        return (
            f"it needs the loader {escaped(as_text(loader))}, which does not exist: "
            "it was built for another system, such as Alpine with its musl, so build it on this one"
        )
    return ""


def _loader(path: str, head: bytes) -> bytes:
    order = ">" if head[5:6] == b"\2" else "<"
    is_64 = head[4:5] == b"\2"
    with suppress(OSError, struct.error), open(path, "rb") as file:
        at = struct.unpack_from(order + ("Q" if is_64 else "I"), head, 32 if is_64 else 28)[0]
        size, count = struct.unpack_from(f"{order}HH", head, 54 if is_64 else 42)
        for index in range(count):
            file.seek(at + index * size)
            entry = file.read(size)
            if struct.unpack_from(f"{order}I", entry)[0] != _PT_INTERP:
                continue
            start = struct.unpack_from(order + ("Q" if is_64 else "I"), entry, 8 if is_64 else 4)[0]
            file.seek(start)
            return file.read(_HEAD).partition(b"\0")[0]
    return b""


def _of_data(head: bytes, ours: bytes) -> str:
    if not head:
        return "it is empty"
    for mark, coding in _MARKS.items():
        if head.startswith(mark):
            return f"it is saved as {coding} a byte order mark: save it as UTF-8 without one"
    if head.startswith(b"\xca\xfe\xba\xbe") and int.from_bytes(head[4:8], "big") >= _JAVA:
        return "it is a compiled class of Java: run it by java"
    if head.startswith(_MACH_O) and not ours.startswith(_MACH_O):
        return "it is a program for macOS: build it for this system"
    if head.startswith(b"MZ"):
        return "it is a program for Windows: build it for this system"
    if b"\0" not in head:
        return "it is a text, and a script needs a first line such as #!/usr/bin/env node"
    return ""


def _has_other_loader(head: bytes, name: str) -> bool:
    """Return True if Linux is set up to run such files with another program (binfmt_misc).

    For example, it may run Windows programs with Wine.
    """
    try:
        if _read(f"{_OTHER_LOADERS}/status").strip() != "enabled":
            return False
        entries = [_read(f"{_OTHER_LOADERS}/{entry}") for entry in os.listdir(_OTHER_LOADERS)]
    except OSError:
        return False
    for entry in entries:
        if not entry.startswith("enabled\n"):
            continue
        fields = dict(line.partition(" ")[::2] for line in entry.splitlines())
        if (ending := fields.get("extension")) and name.endswith(ending):
            return True
        with suppress(ValueError):
            magic = bytes.fromhex(fields.get("magic", ""))
            mask = bytes.fromhex(fields.get("mask", "")) or b"\xff" * len(magic)
            part = head[int(fields.get("offset", 0)) :][: len(magic)]
            pairs = zip(part, magic, mask, strict=False)
            if magic and len(part) == len(magic) and all((a ^ b) & c == 0 for a, b, c in pairs):
                return True
    return False


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except PermissionError:  # `register` is write-only
        return ""


def _words(head: bytes) -> list[bytes]:
    # Linux only treats blanks and tabs as separators here. A carriage return is part of a word.
    line = head[2:].partition(b"\n")[0].partition(b"\0")[0]
    return [word for word in _BLANKS.split(line) if word]


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_HEAD)
