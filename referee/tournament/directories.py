"""A bot's directory as bytes, which travel to another machine (spec/cluster.md, 4)."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.logs.zstd import zstd

MAX_BYTES = 100_000_000
"""Of all files of a directory together."""
LEFT_OUT = (b".git", b"__pycache__")


class Packed(Struct, frozen=True):
    """A directory with all that is in it.

    Attributes:
        digest: the name of what it contains.
        data: compressed.
    """

    digest: str
    data: bytes


class _Entry(Struct, frozen=True, array_like=True):
    """What a directory has in it.

    Attributes:
        path: from that directory on.
        kind: of it.
        mode: its permission bits.
        data: of a file; of a link, where it points to.
    """

    path: bytes
    kind: Literal["directory", "file", "link"]
    mode: int
    data: bytes = b""


_decoder = msgspec.msgpack.Decoder(list[_Entry])


def pack(directory: str) -> Packed:
    """Pack a directory: equal contents have equal digests, whenever and wherever.

    Links are kept as links; what they point to is not looked at. `.git` and `__pycache__` are left
    out, and so is what is no directory, file or link.

    Raises:
        UsageError: it cannot be read, or is larger than `MAX_BYTES`.
    """
    try:
        entries = list(_entries(directory))
    except OSError as error:
        name = os.fsdecode(error.filename or directory)
        raise UsageError(f"cannot read {name}, to send {directory}: {error.strerror}") from error
    plain = msgspec.msgpack.encode(entries)
    return Packed(hashlib.sha256(plain).hexdigest(), zstd.compress(plain))


def _entries(directory: str) -> Iterator[_Entry]:
    room = MAX_BYTES
    top = os.fsencode(directory)
    folders = [b""]
    while folders:
        folder = folders.pop()
        for found in sorted(os.scandir(os.path.join(top, folder)), key=lambda found: found.name):
            path = os.path.join(folder, found.name)
            status = found.stat(follow_symlinks=False)
            mode = stat.S_IMODE(status.st_mode) & 0o777
            if found.is_symlink():
                yield _Entry(path, "link", 0, os.readlink(found.path))
            elif found.is_dir():
                if found.name not in LEFT_OUT:
                    yield _Entry(path, "directory", mode)
                    folders.append(path)
            elif found.is_file():
                room -= status.st_size
                if room < 0:
                    raise UsageError(
                        f"{directory} is too large to be sent: its files have more than "
                        f"{MAX_BYTES // 1_000_000} MB"
                    )
                yield _Entry(path, "file", mode, Path(os.fsdecode(found.path)).read_bytes())


def cache() -> Path:
    """Where this machine keeps the directories that came from others."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "referee" / "bots"


def place(digest: str) -> Path:
    """Where a directory is, once it is unpacked."""
    return cache() / digest


def unpack(packed: Packed) -> None:
    """Unpack a directory to its place. Several processes may do so at once.

    Raises:
        OSError: it cannot be written.
    """
    final = place(packed.digest)
    final.parent.mkdir(parents=True, exist_ok=True)
    temporary = tempfile.mkdtemp(prefix=".", dir=final.parent)
    try:
        entries = _decoder.decode(zstd.decompress(packed.data))
        _write(entries, os.fsencode(temporary))
        try:
            os.rename(temporary, final)
        except OSError:
            if not final.is_dir():  # if it is, somebody was faster
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write(entries: list[_Entry], top: bytes) -> None:
    for entry in entries:
        path = os.path.join(top, entry.path)
        if entry.kind == "directory":
            os.mkdir(path)
        elif entry.kind == "link":
            os.symlink(entry.data, path)
        else:
            Path(os.fsdecode(path)).write_bytes(entry.data)
            os.chmod(path, entry.mode)
    for entry in reversed(entries):  # when all is in it, since it may be read-only
        if entry.kind == "directory":
            os.chmod(os.path.join(top, entry.path), entry.mode)
