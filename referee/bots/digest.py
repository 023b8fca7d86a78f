"""Hashes a bot's files, so that a tournament notices when a bot has changed."""

from __future__ import annotations

import hashlib
import os
import shlex
from contextlib import suppress

from referee.bots.bundled import bundled_bots, rule_files
from referee.bots.command import bot_folder
from referee.bots.folder import MAX_BYTES, folder_around, sources_hash
from referee.errors import UsageError


def files_digest(argument: str, game: str, directory: str = "") -> str:
    """Hash the files that a BOT argument names, or return "" if it doesn't name any.

    A tournament compares these digests when it is resumed, because the results of an older version
    of a bot shouldn't count for the new one. In a folder with a `bot.toml`, we hash all files
    except build results. For other bots, we hash the files that appear in the command line, unless
    their total size is more than `MAX_BYTES`. We can't notice every change, since a program may
    import modules that we don't know about.
    """
    with suppress(OSError, UsageError, ValueError):
        folder = bot_folder(argument, game, directory) or folder_around(directory)
        return sources_hash(folder.path) if folder else _of_words(argument, game, directory)
    return ""


def _of_words(argument: str, game: str, directory: str) -> str:
    bundled, rules = bundled_bots(game), rule_files(game)
    spoken = argument.partition(":")[2]  # the argument may begin with a dialect or an adapter
    # A dict and not a set, because the order of the files is part of the digest.
    files: dict[str, None] = {}
    behind = spoken.split(":")  # an adapter's argument may be FILE.py:CLASS
    for word in (argument, *shlex.split(argument), *shlex.split(spoken), *behind):
        path = os.path.join(directory, word)
        file = bundled.get(word) or (path if os.path.isfile(path) else rules.get(word))
        if file is not None:
            files[str(file)] = None
    if not files or sum(map(os.path.getsize, files)) > MAX_BYTES:
        return ""
    found = hashlib.sha256()
    for name in files:
        with open(name, "rb") as opened:
            found.update(hashlib.file_digest(opened, "sha256").digest())
    return found.hexdigest()
