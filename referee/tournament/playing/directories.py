"""Packs a bot's folder to send it to another machine (spec/cluster.md, 4)."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from pathlib import Path

from msgspec import Struct

from referee.bots.folder import LEFT_OUT, MAX_BYTES
from referee.errors import UsageError
from referee.logs.zstd import zstd


class Packed(Struct, frozen=True):
    """A folder as compressed tar data, with the digest of the data before compression."""

    digest: str
    data: bytes


def pack(directory: str) -> Packed:
    """Pack a folder or a single file. Equal contents have equal digests on all machines.

    Symbolic links are packed as links. Folders in `LEFT_OUT` are skipped, and so are sockets and
    other special files.

    Raises:
        UsageError: the folder cannot be read, or is larger than `MAX_BYTES`.
    """
    plain = io.BytesIO()
    room = MAX_BYTES

    def plainly(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        nonlocal room
        tar.inodes.clear()  # type: ignore[attr-defined]  # a file with two names is two files
        is_left_out = entry.isdir() and Path(entry.name).name in LEFT_OUT
        if is_left_out or not (entry.isdir() or entry.isfile() or entry.issym()):
            return None
        room -= entry.size
        if room < 0:
            raise UsageError(
                f"{directory} is too large to be sent: its files have more than "
                f"{MAX_BYTES // 1_000_000} MB"
            )
        # The digest must not depend on who packs the folder, or when.
        entry.mtime = entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mode = 0o777 if entry.issym() else entry.mode & 0o777
        return entry

    try:
        with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
            is_file = os.path.isfile(directory)
            for name in [""] if is_file else sorted(os.listdir(directory)):
                path = os.path.join(directory, name) if name else directory
                tar.add(path, name or os.path.basename(directory), filter=plainly)
    except OSError as error:
        name = os.fsdecode(error.filename or directory)
        raise UsageError(f"cannot read {name}, to send {directory}: {error.strerror}") from error
    return Packed(hashlib.sha256(plain.getvalue()).hexdigest(), zstd.compress(plain.getvalue()))


def cache() -> Path:
    """Return the folder in which we keep the bots that other machines have sent."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "referee" / "bots"


def place(digest: str) -> Path:
    """Return the path at which the folder with this digest is unpacked."""
    return cache() / digest


def unpack(packed: Packed) -> None:
    """Unpack a folder into the cache. Several processes may try this at the same time."""
    final = place(packed.digest)
    final.parent.mkdir(parents=True, exist_ok=True)
    temporary = tempfile.mkdtemp(prefix=".", dir=final.parent)
    try:
        with tarfile.open(fileobj=io.BytesIO(zstd.decompress(packed.data))) as tar:
            # The default filter would change modes and refuse some links.
            tar.extraction_filter = lambda entry, path: entry
            tar.extractall(temporary)
        try:
            os.rename(temporary, final)
        except OSError:
            if not final.is_dir():  # another process was faster, which is fine
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
