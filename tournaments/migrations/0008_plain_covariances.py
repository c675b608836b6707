"""Stores covariances without compression, so that the database can read single elements."""

import zlib

from django.db import migrations


def decompress(apps, _editor):
    _convert(apps, zlib.decompress)


def compress(apps, _editor):
    _convert(apps, zlib.compress)


def _convert(apps, conversion):
    fits = apps.get_model("tournaments", "PoolFit").objects
    for pk in fits.values_list("pk", flat=True):  # one at a time, because each may have megabytes
        content = bytes(fits.values_list("covariance", flat=True).get(pk=pk))
        fits.filter(pk=pk).update(covariance=conversion(content) if content else b"")


class Migration(migrations.Migration):

    dependencies = [
        ("tournaments", "0007_planned_groups"),
    ]

    operations = [
        migrations.RunPython(decompress, compress),
    ]
