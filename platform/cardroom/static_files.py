"""Static files with names that depend on their content, which browsers may cache forever.

The whole folder is public, so private files lie next to it: the list of names, and the stamp that
shows `up` whether files have changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from django.conf import settings
from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

_OLD_NAMES: Final = ("staticfiles.json", ".stamp")
"""Names of the list and the stamp of earlier versions, inside the folder."""
_IMPORTS: Final = (
    r"""(?m)(?P<matched>(?P<before>^(?:import|export)\b[^'"]*\bfrom |(?<!\{)\bimport\()"""
    r"""['"](?P<url>\.{1,2}/[^'"]+)['"])"""
)
"""An import in one of our modules. Django's own pattern requires a semicolon, which we omit.

It does not match a type in a comment (`{import(…)`), because modules may refer to each other's
types.
"""


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it has no types
    """WhiteNoise's storage, which also replaces imports of our modules by hashed names."""

    patterns: ClassVar = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("cardroom/*.js", ((_IMPORTS, "%(before)s'%(url)s'"),)),
    )
    # A module's hashed name depends on the names that it imports, so the longest chain of imports
    # needs one pass per step.
    max_post_process_passes = 20

    def __init__(self, location: Any = None, **options: Any) -> None:
        root = Path(location or settings.STATIC_ROOT)
        self.manifest_name = f"{root.name}.json"
        parent = FileSystemStorage(location=root.parent)
        super().__init__(location, manifest_storage=parent, **options)

    def save_manifest(self) -> None:
        """Write the list, and remove the files of an earlier version."""
        super().save_manifest()
        for name in filter(self.exists, _OLD_NAMES):
            self.delete(name)
