"""What is asked of a repository alike, whichever forge it is on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

from bot.forges.fields import Json, tables
from bot.forges.wire import Page, Wire
from digest.request import PullRequest, RequestState


class Repository:
    """A repository behind a wire. ``name`` is what people call it, ``base`` where the API has it.

    It is ``eager`` where an account asks: nobody has few requests an hour, and does without what is
    merely good to know.
    """

    def __init__(self, wire: Wire, name: str, base: str) -> None:
        self.eager = wire.credentials.known
        self._wire = wire
        self._name = name
        self._base = base

    async def _merged(
        self,
        path: str,
        what: str,
        query: Mapping[str, str | int],
        since: datetime | None,
        read: Callable[[Json], PullRequest],
        *,
        most: int,
    ) -> AsyncIterator[Sequence[PullRequest]]:
        """The merged ones of a list, page by page, as far back as ``since`` or ``most`` pages.

        The list is in the order of updates, the last one first.
        """
        async for page in self._wire.listed(path, what, query=query, most=most):
            listed = self._wire.understood(partial(_each, page, read))
            fresh = [one for one in listed if since is None or one.updated_at >= since]
            yield [one for one in fresh if one.state is RequestState.MERGED]
            if len(fresh) < len(listed):
                return


def _each(page: Page, read: Callable[[Json], PullRequest]) -> Sequence[PullRequest]:
    return [read(one) for one in tables(page.value)]
