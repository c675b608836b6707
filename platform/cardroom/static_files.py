"""Static files under names that change with their content: browsers keep them for ever."""

from __future__ import annotations

from typing import ClassVar, Final

from whitenoise.storage import CompressedManifestStaticFilesStorage

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
