"""Packages: all forms of upload, their common content, and refusals."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import struct
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.limits import MAX_DIRECTORY, MAX_FILES, MAX_PACKED, MAX_UNPACKED, PackageError
from bots.package import package_reader
from bots.package.package import Package
from bots.sandbox import Limits

BOT = b"def choose(view, legal):\n    return legal[0]\n"


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as zip_file:
        for path, content in members.items():
            info = zipfile.ZipInfo(path)
            info.compress_type = method
            zip_file.writestr(info, content)
    return packed.getvalue()


def zip_with_mode(mode: int, path: str = "x") -> bytes:
    """A zip with bot.py and one member of that file mode."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as zip_file:
        zip_file.writestr("bot.py", BOT)
        info = zipfile.ZipInfo(path)
        info.external_attr = mode << 16
        zip_file.writestr(info, b"/etc/passwd")
    return content.getvalue()


def patched(content: bytes, mark: bytes, offset: int, replacement: bytes) -> bytes:
    """The bytes with `replacement` written at `offset` after the last `mark`."""
    position = content.rindex(mark) + offset
    return content[:position] + replacement + content[position + len(replacement) :]


CENTRAL = b"PK\x01\x02"
LOCAL = b"PK\x03\x04"


def zip_claiming(size: int) -> bytes:
    """A zip whose bot.py claims `size` bytes in both headers."""
    content = zipped({"bot.py": BOT})
    content = patched(content, CENTRAL, 24, struct.pack("<I", size))
    return patched(content, LOCAL, 22, struct.pack("<I", size))


def test_one_file_a_zip_and_a_folder_with_the_same_files_are_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "magpie"
    folder.mkdir()
    (folder / "bot.py").write_bytes(BOT)
    (tmp_path / "magpie.zip").write_bytes(zipped({"bot.py": BOT}, zipfile.ZIP_STORED))
    ways = [
        Package.load(folder),
        Package.load(folder / "bot.py"),
        Package.load(tmp_path / "magpie.zip"),
        Package.load(BOT, "magpie.py"),
        Package.load(zipped({"magpie-main/bot.py": BOT}), "magpie.zip"),
    ]
    assert {package.digest for package in ways} == {ways[0].digest}
    assert len(set(ways)) == 1
    assert {package.name for package in ways} == {"magpie"}
    assert all(dict(package.files) == {"bot.py": BOT} for package in ways)
    assert dict(ways[0].program().files) == {"bot.py": BOT}
    assert ways[0].program().command is None


def test_the_digest_is_computed_as_documented() -> None:
    files = {"bot.py": BOT, "a/ü.txt": b"x" * 300, "B": b""}
    text = b"cardroom-package-1\0"
    for path in sorted(files, key=str.encode):
        name = path.encode()
        text += len(name).to_bytes(8, "big") + name
        text += len(files[path]).to_bytes(8, "big") + files[path]
    package = Package.load(zipped(files))
    assert package.digest == hashlib.sha256(text).hexdigest()
    assert list(package.files) == ["B", "a/ü.txt", "bot.py"]


_NAMES = st.text("abc-_ü", min_size=1, max_size=5)


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(_NAMES, st.binary(max_size=200), max_size=6))
def test_the_canonical_zip_reads_back_to_the_same_package(extra: dict[str, bytes]) -> None:
    package = Package.restore(
        zipped({**extra, "bot.py": BOT}), Package.load(zipped({**extra, "bot.py": BOT})).digest
    )
    content = package.to_bytes()
    restored = Package.restore(content, package.digest)
    assert dict(restored.files) == {**extra, "bot.py": BOT}
    assert restored.to_bytes() == content


def test_a_changed_stored_package_is_refused() -> None:
    package = Package.load(BOT, "bot.py")
    with pytest.raises(PackageError, match="damaged"):
        Package.restore(zipped({"bot.py": BOT + b"#"}), package.digest)


def test_the_manifest_rules_name_formats_and_command() -> None:
    manifest = b'name = "Magpie"\nformats = ["cassino/*/*"]\ncommand = ["./magpie", "-x"]\n'
    package = Package.load(zipped({"cardroom.toml": manifest, "magpie": b"\x7fELF"}), "a.zip")
    assert package.name == "Magpie"
    assert package.program().command == ("./magpie", "-x")
    node = Package.load(zipped({"cardroom.toml": b'runtime = "node"', "bot.js": b"1"}))
    assert node.program().command == ("node", "bot.js")


def test_litter_is_ignored(tmp_path: Path) -> None:
    litter = {
        "__MACOSX/._bot.py": b"x",
        "__pycache__/bot.pyc": b"x",
        ".git/HEAD": b"x",
        "data/.DS_Store": b"x",
    }
    assert list(Package.load(zipped({**litter, "bot.py": BOT})).files) == ["bot.py"]
    for path, content in {**litter, "bot.py": BOT}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert list(Package.load(tmp_path).files) == ["bot.py"]


HALF = b"\0" * (MAX_UNPACKED // 2)
DEEP = {f"{number}{'/a' * 98}": b"" for number in range(3)}
CROWD = {f"f{number}": b"" for number in range(MAX_FILES)}
BINARY = b'command = ["./bot"]'
# The compiler copies the block of `finally` to each `return`, so each level doubles the code.
COPIES = b"def f():\n%s%sreturn 1\n%s" % (
    b"".join(b"%stry:\n" % (b" " * level) for level in range(1, 20)),
    b" " * 20,
    b"".join(
        b"%sfinally:\n%sreturn 2\n" % (b" " * level, b" " * (level + 1))
        for level in range(19, 0, -1)
    ),
)


def zip_with_name(name: bytes) -> bytes:
    """A zip with a second file whose name is these bytes, in an undeclared encoding."""
    placeholder = "x" * len(name)
    return zipped({"bot.py": BOT, placeholder: b""}).replace(placeholder.encode(), name)


REFUSED: list[tuple[str, bytes, str, str]] = [
    ("empty file", b"", "bot.py", "empty"),
    ("blank file", b" \n", "bot.py", "empty"),
    ("no zip", b"hello", "bot.zip", "not a zip archive"),
    ("tar.gz", b"\x1f\x8b\x08", "bot.tar.gz", "is a gzip archive; pack the files as a zip"),
    ("tar", b"bot.py".ljust(257, b"\0") + b"ustar\0", "bot", "is a tar archive"),
    ("7z called zip", b"7z\xbc\xaf\x27\x1c", "bot.zip", "is a 7z archive"),
    ("rar called bot.py", b"Rar!\x1a\x07", "bot.py", "is a rar archive"),
    ("manifest in capitals", zipped({"bot.py": BOT, "Cardroom.toml": b""}), "b.zip", "rename it"),
    ("manifest.txt", zipped({"bot.py": BOT, "cardroom.toml.txt": b""}), "b.zip", "is ignored"),
    ("not a bot", b"\x89PNG", "bot.png", "is not a bot: send a .py file"),
    ("empty zip", zipped({}), "bot.zip", "package is empty"),
    ("torn zip", zipped({"bot.py": BOT})[:-30], "bot.zip", "zip archive is broken"),
    ("no bot.py", zipped({"main.py": BOT}), "bot.zip", "has no bot.py; it has 'main.py'"),
    ("deep bot.py", zipped({"a/bot.py": BOT, "b": b""}), "b.zip", "top of the package.*'a/bot.py'"),
    ("climbs", zipped({"bot.py": BOT, "../x": b""}), "bot.zip", "one like"),
    ("climbs inside", zipped({"bot.py": BOT, "a/../../x": b""}), "bot.zip", "one like"),
    ("absolute", zipped({"bot.py": BOT, "/etc/x": b""}), "bot.zip", "absolute"),
    ("drive", zipped({"bot.py": BOT, "C:/x": b""}), "bot.zip", "absolute"),
    ("empty part", zipped({"bot.py": BOT, "a//x": b""}), "bot.zip", "empty part"),
    ("backslash", zipped({"bot.py": BOT, "a\\x": b""}), "bot.zip", "backslash"),
    ("control", zipped({"bot.py": BOT, "a\nx": b""}), "bot.zip", "cannot be printed"),
    ("long path", zipped({"bot.py": BOT, "x" * 201: b""}), "bot.zip", "longer than 200 bytes"),
    ("case", zipped({"bot.py": BOT, "BOT.py": b""}), "bot.zip", "differ only in case"),
    ("file and folder", zipped({"bot.py": BOT, "a": b"", "a/b": b""}), "b.zip", "also the folder"),
    ("link", zip_with_mode(stat.S_IFLNK | 0o777), "bot.zip", "'x' is a link"),
    ("device", zip_with_mode(stat.S_IFCHR | 0o666), "bot.zip", "'x' is not a plain file"),
    ("pipe", zip_with_mode(stat.S_IFIFO | 0o666), "bot.zip", "'x' is not a plain file"),
    ("link as folder", zip_with_mode(stat.S_IFLNK | 0o777, "x/"), "bot.zip", "'x/' is a link"),
    ("device as folder", zip_with_mode(stat.S_IFCHR, "x/"), "bot.zip", "'x/' is not a plain file"),
    ("invisible", zipped({"bot.py": BOT, "a\u3164": b""}), "bot.zip", "cannot be printed"),
    ("dot at the end", zipped({"bot.py": BOT, "bot.py.": b""}), "bot.zip", "same name on some"),
    ("space at the end", zipped({"bot.py": BOT, "a/x ": b"", "A/x": b""}), "b.zip", "same name on"),
    ("rare method", zipped({"bot.py": BOT}, zipfile.ZIP_LZMA), "bot.zip", "rare compression"),
    ("too many", zipped({**CROWD, "bot.py": BOT}), "b.zip", "more than 200"),
    ("deep", zipped({"bot.py": BOT, **DEEP}), "b.zip", "has 294 folders; at most 200"),
    ("bomb", zipped({"bot.py": BOT, "x": HALF * 2}), "b.zip", "unpacks to more"),
    ("two bombs", zipped({"bot.py": BOT, "x": HALF, "y": HALF}), "b.zip", "unpacks to more"),
    ("says less", zip_claiming(5), "bot.zip", "broken|unpacks to"),
    ("says more", zip_claiming(5000), "bot.zip", "broken|unpacks to"),
    ("says far more", zip_claiming(0xFFFFFFF0), "bot.zip", "broken|unpacks to"),
    ("not UTF-8", b"x = 1\n# \xff\n", "bot.py", "not UTF-8 text .line 2"),
    ("UTF-16", BOT.decode().encode("utf-16"), "bot.py", "not UTF-8 text but UTF-16 .line 1"),
    ("UTF-16 manifest", zipped({"bot.py": BOT, "cardroom.toml": 'name = "x"'.encode("utf-16")}),
        "b.zip", "toml is not UTF-8 text but UTF-16"),
    ("old encoding", zip_with_name("b\u00fccher".encode("cp437")), "b.zip", "state the encoding"),
    ("two spellings", zipped({"bot.py": BOT, "\u00fc": b"", "u\u0308": b""}), "b.zip", "spellings"),
    ("syntax", b"x = 1\ndef choose(:\n  pass\n", "bot.py", "syntax error in line 2"),
    ("zero byte", b"x = 1\0", "bot.py", "syntax error"),
    ("deeply nested", b"x = " + b"(" * 5000 + b")" * 5000, "bot.py", "syntax error"),
    ("minus minus", b"x = " + b"-" * 200_000 + b"1", "bot.py", "syntax error"),
    ("copies of blocks", COPIES, "bot.py", "too large to compile"),
    ("long source", b"#" * (1024 * 1024 + 1), "bot.py", "the limit is 1 MiB"),
    ("manifest", zipped({"bot.py": BOT, "cardroom.toml": b"x = 1"}), "b.zip", "unknown key 'x'"),
    ("manifest bytes", zipped({"bot.py": BOT, "cardroom.toml": b"\xff"}), "b.zip", "not UTF-8"),
    ("no command", zipped({"cardroom.toml": BINARY, "x": b""}), "b.zip", "starts .*, but"),
]  # fmt: skip


@pytest.mark.parametrize("text", ['name = "Magpie"\n', 'name = "Magpie"\r\n# two\r\n'])
def test_a_manifest_saved_on_windows_is_read(text: str) -> None:
    content = zipped({"bot.py": BOT, "cardroom.toml": text.encode("utf-8-sig")})
    assert Package.load(content, "bot.zip").name == "Magpie"


@pytest.mark.parametrize("name", ["b\u00fccher.txt", "\u30ab\u30fc\u30c9/x.txt"])
def test_file_names_are_decoded_and_normalized(name: str) -> None:
    """Some tools write UTF-8 without declaring it; macOS decomposes letters with accents."""
    expected = ["bot.py", name]
    assert sorted(Package.load(zip_with_name(name.encode()), "bot.zip").files) == expected
    apart = zipped({"bot.py": BOT, unicodedata.normalize("NFD", name): b""})
    assert sorted(Package.load(apart, "bot.zip").files) == expected


def test_a_stored_package_keeps_its_names() -> None:
    """Its digest depends on them."""
    package = Package.from_files({"bot.py": BOT}, "bot")
    stored = Package({**package.files, "u\u0308": b""}, package.manifest, "bot")
    assert Package.restore(stored.to_bytes(), stored.digest).files == stored.files


def test_a_stored_package_has_the_name_of_its_manifest() -> None:
    """The site's check shows the name that the check at home shows."""
    bot = b"def choose(view, legal):\n    return legal[0]\n"
    for manifest, name in ((b'name = "Magpie"\n', "Magpie"), (b"", "bot")):
        package = Package.from_files({"bot.py": bot, "cardroom.toml": manifest}, "bot")
        assert Package.restore(package.to_bytes(), package.digest).name == name


@pytest.mark.parametrize(
    ("content", "filename", "message"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_refusals_name_their_reason(content: bytes, filename: str, message: str) -> None:
    with pytest.raises(PackageError, match=message):
        Package.load(content, filename)


def test_a_syntax_error_quotes_no_file_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_text("secret = 1\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PackageError, match=": def choose"):
        Package.load(b"def choose(view, legal)\n    return legal[0]\n", "bot.py")


def test_a_doubled_name_is_refused() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as zip_file:
        zip_file.writestr("bot.py", BOT)
        with pytest.warns(UserWarning, match="Duplicate name"):
            zip_file.writestr("bot.py", b"import os")
    with pytest.raises(PackageError, match=r"'bot\.py' twice"):
        Package.load(content.getvalue())


def test_members_may_not_share_bytes() -> None:
    """Otherwise a small archive could have many long members."""
    inner = zipped({"x": bytes(10_000)}, zipfile.ZIP_STORED)
    with zipfile.ZipFile(io.BytesIO(inner)) as zip_file:
        shared = zip_file.infolist()[0]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as zip_file:
        zip_file.writestr("bot.py", BOT)
        zip_file.writestr("y", inner)
        shared.header_offset = zip_file.getinfo("y").header_offset + len(LOCAL) + 27
        zip_file.filelist.append(shared)
    with pytest.raises(PackageError, match="overlap"):
        Package.load(content.getvalue())


def test_an_encrypted_member_is_refused() -> None:
    content = patched(zipped({"bot.py": BOT}), CENTRAL, 8, b"\x01\x00")
    with pytest.raises(PackageError, match="encrypted"):
        Package.load(content)


def test_the_largest_package_fits_into_the_sandbox() -> None:
    page = 4096  # a file uses whole pages, and one more for its entry
    assert MAX_UNPACKED + MAX_FILES * 2 * page <= Limits().disk_mib << 20


def test_a_large_upload_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="the limit is 4 MiB"):
        Package.load(b"PK\x03\x04" + b"\0" * MAX_PACKED)
    path = tmp_path / "bot.py"
    path.touch()
    os.truncate(path, 1 << 40)
    with pytest.raises(PackageError, match="the limit is 4 MiB"):
        Package.load(path)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_archive_is_read_or_refused(data: st.DataObject) -> None:
    content = bytearray(zipped({"bot.py": BOT * 20, "data/x": b"y" * 500}))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        files = package_reader.read_zip(bytes(content))
    except PackageError:
        return
    assert sum(map(len, files.values())) <= MAX_UNPACKED


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with pytest.raises(PackageError):
        package_reader.read_zip(b"PK\x03\x04" + content)


def test_the_table_of_contents_is_limited_before_it_is_read() -> None:
    litter = {f".git/{number:040}": b"" for number in range(MAX_DIRECTORY // 80)}
    with pytest.raises(PackageError, match="table of contents is longer than 256 KiB"):
        Package.load(zipped(litter | {"bot.py": BOT}), "bot.zip")
    fewer = dict(list(litter.items())[:500])
    assert list(Package.load(zipped(fewer | {"bot.py": BOT}), "bot.zip").files) == ["bot.py"]


def test_a_folder_may_be_as_large_as_its_zip(tmp_path: Path) -> None:
    """The size of the zip counts: zeros compress well, noise does not."""
    (tmp_path / "bot.py").write_bytes(BOT)
    (tmp_path / "table").write_bytes(bytes(MAX_PACKED + 1))
    Package.load(tmp_path)
    (tmp_path / "table").write_bytes(os.urandom(MAX_PACKED + 1))
    with pytest.raises(PackageError, match="the limit is 4 MiB"):
        Package.load(tmp_path)


def test_a_member_without_a_name_is_refused() -> None:
    content = zipped({"bot.py": BOT, "x": b""})
    content = patched(content, CENTRAL, 28, struct.pack("<HH", 0, 1))  # its name is an extra field
    with pytest.raises(PackageError):
        Package.load(content, "bot.zip")


def test_devices_and_pipes_are_never_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "bot.py")
    for path in ("/dev/zero", tmp_path / "bot.py"):
        with pytest.raises(PackageError, match="is not a plain file"):
            Package.load(path)


def test_folders_with_links_and_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_bytes(BOT)
    (tmp_path / "x").symlink_to("/etc/passwd")
    with pytest.raises(PackageError, match="'x' is a link"):
        Package.load(tmp_path)
    (tmp_path / "x").unlink()
    (tmp_path / "d").symlink_to("/etc")
    with pytest.raises(PackageError, match="'d' is a link"):
        Package.load(tmp_path)
    (tmp_path / "d").unlink()
    os.mkfifo(tmp_path / "p")
    with pytest.raises(PackageError, match="'p' is not a plain file"):
        Package.load(tmp_path)


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="There is no"):
        Package.load(tmp_path / "nothing")
