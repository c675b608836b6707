"""The nightly dumps of all public data: a list, and their files."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.http import FileResponse, Http404, HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tournaments.exports.dump import MEDIA_TYPES, Dump, DumpFile, complete_dumps


class DumpFileSerializer(serializers.Serializer[dict[str, Any]]):
    """A file of a dump."""

    name = serializers.CharField(
        help_text="JSON lines (`.jsonl.gz`) or, if the site writes it, Parquet."
    )
    size = serializers.IntegerField(help_text="Bytes.")
    sha256 = serializers.CharField(help_text="In hexadecimal digits.")
    url = serializers.URLField(help_text="The address of the file.")


class DumpSerializer(serializers.Serializer[dict[str, Any]]):
    """All public data at a point in time."""

    day = serializers.DateField(help_text="The date, which names the dump.")
    made = serializers.DateTimeField()
    licence = serializers.CharField(
        allow_blank=True,
        help_text="The licence of the data; empty if the operator has not stated one.",
    )
    rows = serializers.DictField(
        child=serializers.IntegerField(), help_text="Number of rows by table."
    )
    columns = serializers.DictField(
        child=serializers.DictField(child=serializers.CharField()),
        help_text="Type of each column by table: `int`, `text`, `bool`, `ints` or `texts`.",
    )
    files = DumpFileSerializer(many=True)


class DumpList(APIView):
    """The dumps that the site keeps."""

    @extend_schema(operation_id="dumps_list", responses=DumpSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the nightly dumps of all public data, newest first."""
        return Response([_as_json(request, dump) for dump in complete_dumps(settings.DUMP_DIR)])


class DumpFileView(APIView):
    """A file of a dump."""

    @extend_schema(
        operation_id="dumps_files_retrieve",
        responses={
            (200, media_type): OpenApiResponse(OpenApiTypes.BINARY, description="The file.")
            for media_type in MEDIA_TYPES.values()
        },
    )
    def get(self, request: Request, day: str, name: str) -> HttpResponseBase:
        """Download a file of a dump; its ETag is its SHA-256."""
        dump, file = _find(day, name)
        etag = f'"{file.sha256}"'
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return unchanged
        try:
            content = (dump.folder / name).open("rb")
        except OSError:  # it is being replaced or deleted
            raise Http404(_UNKNOWN) from None
        return FileResponse(
            content,
            as_attachment=True,
            filename=f"cardroom-{day}-{name}",
            content_type=file.media_type,
            headers={"ETag": etag},
        )


_UNKNOWN: Final = "There is no such file; /api/v1/dumps/ lists all files."


def _find(day: str, name: str) -> tuple[Dump, DumpFile]:
    for dump in complete_dumps(settings.DUMP_DIR):
        for file in dump.files:
            if (dump.day, file.name) == (day, name):
                return dump, file
    raise Http404(_UNKNOWN)


def _as_json(request: Request, dump: Dump) -> dict[str, Any]:
    files = [
        {
            "name": file.name,
            "size": file.size,
            "sha256": file.sha256,
            "url": request.build_absolute_uri(reverse("api:dump-file", args=(dump.day, file.name))),
        }
        for file in dump.files
    ]
    return {
        "day": dump.day,
        "made": dump.made,
        "licence": dump.licence,
        "rows": dump.rows,
        "columns": dump.columns,
        "files": files,
    }
