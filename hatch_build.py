"""What the wheel has beside the package: completion for shells, and manual pages."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SCRIPTS = {
    "bash": "bash-completion/completions/referee",
    "zsh": "zsh/site-functions/_referee",
    "fish": "fish/vendor_completions.d/referee.fish",
}


class ShareHook(BuildHookInterface):  # type: ignore[misc]
    """Makes the files of `share/` from the parser."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make them; the parser needs nothing that is yet to be installed."""
        sys.path.insert(0, self.root)
        from referee.cli.commands.completion import script
        from referee.cli.commands.manual import pages

        self._folder = TemporaryDirectory()
        files = {path: script(shell) for shell, path in _SCRIPTS.items()}
        files |= {f"man/man1/{name}": text for name, text in pages().items()}
        for place, text in files.items():
            file = Path(self._folder.name, place)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            build_data["shared_data"][str(file)] = f"share/{place}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what is in the wheel now."""
        self._folder.cleanup()
