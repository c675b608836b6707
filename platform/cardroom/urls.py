"""Addresses: REST under /api/, administration under /admin/, everything else is a page."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", include("cardroom.api.urls")),
    path("", include("cardroom.pages.urls")),
]

handler400 = "cardroom.pages.site.bad_request"
handler403 = "cardroom.pages.site.forbidden"
handler404 = "cardroom.pages.site.not_found"
handler500 = "cardroom.pages.site.server_error"
