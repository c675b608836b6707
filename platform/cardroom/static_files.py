"""Static files under names that change with their content: browsers keep them for ever.

Their folder is served whole, so what is not for everybody lies beside it: the list of names, and
the mark by which `up` knows whether they changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from django.conf import settings
from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

_EARLIER: Final = ("staticfiles.json", ".stamp")
"""List and mark of earlier versions, in the folder itself."""
_IMPORTS: Final = (
    r"""(?m)(?P<matched>(?P<before>^(?:import|export)\b[^'"]*\bfrom |(?<!\{)\bimport\()"""
    r"""['"](?P<url>\.{1,2}/[^'"]+)['"])"""
)
"""What a module of ours imports. Django's own pattern wants a semicolon, which we do not write.

A type in a comment (`{import(…)`) is none: modules may name each other's types."""


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # it has no types
    """As WhiteNoise's; our modules, too, import each other by such names."""

    patterns: ClassVar = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("cardroom/*.js", ((_IMPORTS, "%(before)s'%(url)s'"),)),
    )
    # A module's name follows from the names that it imports: one pass for each step of the longest
    # chain of imports.
    max_post_process_passes = 20

    def __init__(self, location: Any = None, **options: Any) -> None:
        root = Path(location or settings.STATIC_ROOT)
        self.manifest_name = f"{root.name}.json"
        beside = FileSystemStorage(location=root.parent)
        super().__init__(location, manifest_storage=beside, **options)

    def save_manifest(self) -> None:
        """Write the list; what an earlier version left goes."""
        super().save_manifest()
        for name in filter(self.exists, _EARLIER):
            self.delete(name)
