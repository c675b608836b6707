"""Nodes of brackets, written in Python because a bracket has hundreds of them."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe

from cardroom.display.numbers import count_of, fraction
from cardroom.templatetags.ui import state, with_lang
from tournaments.reading.brackets import BracketPairing, BracketSide

register = template.Library()


@register.simple_tag
def bracket_node(pairing: BracketPairing) -> SafeString:
    """A pairing: the seeds, names and points of its sides."""
    sides = [_side(side, pairing.state) for side in pairing.sides]
    lines = sides or ['<li><span class="quiet">bye</span></li>']
    if pairing.state == "playing":
        groups = f'<span class="quiet">{count_of(pairing.groups, "group")}</span>'
        lines.append(f'<li class="now">{state("playing")}{groups}</li>')
    css_class = "node bye" if pairing.state == "bye" else "node"
    return mark_safe(  # noqa: S308 - made of escaped parts
        f'<ul class="{css_class}" aria-label="{escape(pairing.name)}">{"".join(lines)}</ul>'
    )


def _side(side: BracketSide, pairing_state: str) -> str:
    is_decided = pairing_state == "decided"
    css_class = "win" if side.through else "out" if is_decided else ""
    if side.bot is None or side.name is None:
        return f'<li class="{css_class}"><span class="quiet">to be decided</span></li>'
    address, name = reverse("bot", args=[side.bot.slug]), conditional_escape(with_lang(side.name))
    link = f'<a class="plain" href="{address}" title="{escape(side.name)}">{name}</a>'
    advances = '<span class="vh"> advances</span>' if side.through and is_decided else ""
    points = "" if side.points is None else fraction(side.points)
    result = '<span class="quiet">bye</span>' if pairing_state == "bye" else points
    return (
        f'<li class="{css_class}"><span><span class="quiet seed">{side.seed}</span>{link}{advances}'
        f'</span><span class="num">{result}</span></li>'
    )
