"""How far a question reaches: its window or its references, read into the archive."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from digest.errors import EmptyRange, UnknownChange
from digest.query import Query
from digest.span import Refs, Span
from digest.window import Window
from handlers.context import Context
from handlers.ingest import fill
from handlers.ports import Range, Tip


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What is looked at: a ``window``, or the commits ``names`` of a range; neither is all."""

    span: Span | None
    names: tuple[str, ...] | None = None

    @property
    def window(self) -> Window | None:
        """The window, where the reach is one."""
        return self.span if isinstance(self.span, Window) else None

    @property
    def query(self) -> Query:
        """The conditions that the reach makes."""
        return Query(window=self.window, among=self.names)


async def reach(span: Span | None, ctx: Context, tip: Tip) -> Reach:
    """Read what the archive lacks of a span; without one nothing is read.

    Raises ``UnknownBranch``, ``AmbiguousReference`` and ``EmptyRange``.
    """
    if span is None:
        return Reach(span=None)
    if isinstance(span, Window):
        await fill(ctx, span, tip)
        return Reach(span=span)
    names, _ = await fill(ctx, await range_of(span, ctx, tip), tip)
    return Reach(span=span, names=tuple(names))


async def range_of(refs: Refs, ctx: Context, tip: Tip) -> Range:
    """The range between two references, of which the second defaults to the branch's tip.

    Raises as :func:`reach`, and ``UnknownChange`` for references of another repository.
    """
    watched = ctx.watched.repository.name
    if refs.repository and "/" in watched and refs.repository.lower() != watched.lower():
        raise UnknownChange(str(refs), watched)
    source = ctx.watched.source
    named = [name for name in (refs.base, refs.tip) if name]
    found = dict(zip(named, await _each([source.resolve(name) for name in named]), strict=True))
    base, end = found.get(refs.base), found.get(refs.tip, tip.sha)
    between = None if end is None or base == end else Range(base=base, tip=end)
    # What descends from neither lists its own tip at least; the list is needed anyway, and kept.
    if between is None or not await source.names(tip, between):
        name = refs.tip or tip.branch
        raise EmptyRange(refs.base, name, reversed_=between is not None)
    return between


async def _each(ends: Sequence[Awaitable[str]]) -> list[str]:
    """All at once; of several that fail the first one named is told of."""
    found = await asyncio.gather(*ends, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if isinstance(one, str)]
