"""Load bot packages from a `bot.py`, a zip or a folder, which are not trusted.

A package consists of its files only: no dates, modes or owners. Two packages with the same files
have the same digest, regardless of the tool that packed them.

The digest is SHA-256 over the bytes `cardroom-package-1` and a zero byte, followed for each file in
the order of its UTF-8 path by: the path's length as 8 bytes big-endian, the path, the content's
length as 8 bytes big-endian, the content.
"""

from __future__ import annotations

import hashlib
import io
import stat
import unicodedata
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bots.limits import MAX_PACKED, PackageError, check_paths, check_sizes, quoted, size_text
from bots.package.manifest import MANIFEST, Manifest, ManifestError
from bots.package.package_reader import read_folder, read_zip
from bots.package.syntax import check_source
from bots.sandbox import Program

__all__ = ["Package", "PackageError"]

_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
ARCHIVES = {
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a rar archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
}
"""First bytes of archives other than zip."""
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Package:
    """The files of a bot; immutable. Packages with equal files are equal."""

    files: Mapping[str, bytes]
    """Path (with `/`) → content, sorted by path."""
    manifest: Manifest
    """The checked `cardroom.toml`, or its defaults."""
    name: str
    """The manifest's name, else one derived from the file name; not part of the digest."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Package) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the files and the name, for processes that play matches in parallel."""
        return _unpickled, (dict(self.files), self.name)

    @classmethod
    def load(cls, source: str | Path | bytes, filename: str | None = None) -> Package:
        """Read a package from a path, or from the bytes of an upload called `filename`.

        A path is a `bot.py`, any other `.py`, a zip, or a folder. `PackageError` names the invalid
        file, the problem and the remedy. The bot's code is compiled but never run.
        """
        if not isinstance(source, bytes):
            label = Path(source).name
            return cls._checked_size(cls._load_path(Path(source)), label)
        label = filename or "the upload"
        if len(source) > MAX_PACKED:
            raise PackageError(_too_large_text(label, len(source)))
        return cls._checked_size(
            cls._from_files(_read_upload(source, label), _name_from(Path(label))), label
        )

    @classmethod
    def restore(cls, content: bytes, digest: str) -> Package:
        """Read the output of `to_bytes`; PackageError if it is not the package of that digest.

        It is for stored packages that were checked on arrival, so bot.py is not compiled again.
        """
        files = read_zip(content)
        manifest = _parse_manifest(files)
        package = cls(_frozen(files), manifest, manifest.name or "bot")
        if package.digest != digest:
            raise PackageError(
                f"The stored package {digest[:12]} is damaged: its content has the digest "
                f"{package.digest[:12]}."
            )
        return package

    @classmethod
    def from_files(cls, files: Mapping[str, bytes], name: str) -> Package:
        """Check these files and return them as a package called `name`."""
        return cls(_frozen(dict(files)), cls._from_files(dict(files), name).manifest, name)

    @classmethod
    def _load_path(cls, path: Path) -> Package:
        try:
            if path.is_dir():
                return cls._from_files(read_folder(path), _name_from(path))
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise PackageError(f"{str(path)!r} is not a plain file.")
            size = status.st_size
            if size > MAX_PACKED:
                raise PackageError(_too_large_text(path.name, size))
            content = path.read_bytes()
        except FileNotFoundError:
            raise PackageError(
                f"There is no {str(path)!r}; a bot is a bot.py, a zip or a folder."
            ) from None
        except OSError as error:
            raise PackageError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
        return cls._from_files(_read_upload(content, path.name), _name_from(path))

    @staticmethod
    def _checked_size(package: Package, label: str) -> Package:
        """The package; PackageError if its zip, which sites store, is too long."""
        if package.unpacked_size > MAX_PACKED and (size := len(package.to_bytes())) > MAX_PACKED:
            raise PackageError(_too_large_text(label, size, " packed"))
        return package

    @classmethod
    def _from_files(cls, files: dict[str, bytes], name: str) -> Package:
        files = _with_composed_names(_without_top_folder(files))
        check_paths(files)
        check_sizes(files)
        manifest = _parse_manifest(files)
        main = manifest.main_file
        if main is not None and main not in files:
            raise PackageError(_missing_text(main, files, manifest))
        if manifest.runtime == "python":
            check_source("bot.py", files["bot.py"])
        return cls(_frozen(files), manifest, manifest.name or name)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content in hexadecimal, as the module's docstring defines it."""
        sha = hashlib.sha256(b"cardroom-package-1\0")
        for path, content in self.files.items():
            name = path.encode()
            sha.update(len(name).to_bytes(8, "big") + name)
            sha.update(len(content).to_bytes(8, "big") + content)
        return sha.hexdigest()

    @property
    def unpacked_size(self) -> int:
        """Bytes of all files together."""
        return sum(map(len, self.files.values()))

    def to_bytes(self) -> bytes:
        """The canonical zip: files in order, one date, no modes; `restore` reads it back."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in self.files.items():
                archive.writestr(zipfile.ZipInfo(path, _DATE), content, zipfile.ZIP_DEFLATED)
        return buffer.getvalue()

    def program(self) -> Program:
        """The program that the sandbox starts."""
        if self.manifest.runtime == "node":
            return Program(self.files, ("node", "bot.js"))
        return Program(self.files, self.manifest.command or None, self.manifest.needs)


def _read_upload(content: bytes, label: str) -> dict[str, bytes]:
    if content.startswith(_ZIP_MAGIC):
        return read_zip(content)
    archive_kind = next(
        (
            description
            for first_bytes, description in ARCHIVES.items()
            if content.startswith(first_bytes)
        ),
        "",
    )
    if archive_kind or content[257:262] == b"ustar":
        raise PackageError(
            f"{quoted(label)} is {archive_kind or 'a tar archive'}; pack the files as a zip."
        )
    if label.lower().endswith(".zip"):
        raise PackageError(f"{quoted(label)} is not a zip archive; pack it again, or send bot.py.")
    if not content.strip():
        raise PackageError(f"{quoted(label)} is empty; a bot is a bot.py with a function choose.")
    if label.lower().endswith(".py") or "." not in label:
        return {"bot.py": content}
    raise PackageError(f"{quoted(label)} is not a bot: send a .py file, a .zip or a folder.")


def _too_large_text(label: str, size: int, state: str = "") -> str:
    limit = size_text(MAX_PACKED)
    return f"{quoted(label)} is {size_text(size)}{state}; the limit is {limit}."


def _without_top_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """Remove the top folder around all files, which zips from code hosts have."""
    if not files:
        raise PackageError("The package is empty; it needs at least bot.py.")
    tops = {path.partition("/")[0] for path in files}
    if len(tops) > 1 or any("/" not in path for path in files):
        return files
    return {path.partition("/")[2]: content for path, content in files.items()}


def _with_composed_names(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files with names in composed form (NFC); macOS separates letters and accents."""
    composed = {unicodedata.normalize("NFC", path): content for path, content in files.items()}
    if len(composed) < len(files):
        duplicate = next(path for path in files if unicodedata.normalize("NFC", path) != path)
        raise PackageError(
            f"The package contains {quoted(duplicate)} in two spellings; remove one of them."
        )
    return composed


def _unpickled(files: dict[str, bytes], name: str) -> Package:
    return Package(_frozen(files), _parse_manifest(files), name)


def _frozen(files: dict[str, bytes]) -> Mapping[str, bytes]:
    return MappingProxyType({path: files[path] for path in sorted(files, key=str.encode)})


def _parse_manifest(files: Mapping[str, bytes]) -> Manifest:
    content = files.get(MANIFEST)
    if content is None:
        similar = [path for path in files if _resembles_manifest(path)]
        if similar:
            raise PackageError(
                f"The package has {quoted(similar[0])}, which is ignored; rename it to {MANIFEST}."
            )
        return Manifest()
    try:
        return Manifest.parse(content)
    except ManifestError as error:
        raise PackageError(str(error)) from None


def _resembles_manifest(path: str) -> bool:
    """Whether a name resembles the manifest's: other case, or an additional ending."""
    name = path.strip().lower()
    return name.removesuffix(".txt") == MANIFEST


def _missing_text(main: str, files: Mapping[str, bytes], manifest: Manifest) -> str:
    nested = [path for path in files if path.endswith(f"/{main}")]
    if nested:
        return f"{main} must be at the top of the package; it is at {quoted(nested[0])}."
    present = ", ".join(quoted(path) for path in sorted(files)[:5])
    if manifest.runtime:
        return f"The package has no {main}; it has {present}."
    make = " Run make first." if "Makefile" in files else ""
    return (
        f"{MANIFEST} starts {quoted(manifest.command[0])}, but the package has no such file; "
        f"it has {present}.{make}"
    )


def _name_from(path: Path) -> str:
    """A display name from a path: the folder's name for a `bot.py`, else the stem."""
    stem = path.stem if path.suffix.lower() in {".py", ".zip"} else path.name
    if stem == "bot" or not stem:
        stem = path.absolute().parent.name if path.parts[:-1] or path.exists() else "bot"
    name = "".join(letter for letter in stem if letter.isprintable()).strip()
    return name[:48] or "bot"
