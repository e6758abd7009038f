"""Analyses kept from before, found for one digest or question, and new ones put beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from digest.prompting import Kind as Asked
from handlers.context import Context
from handlers.judgement import Basis, Judging, Kept, prompt_basis

_FAILURES_HOLD = timedelta(days=1)
"""A question that was paid for in vain is not asked again for so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """What is kept for one context. ``anew`` lets failures be asked about again at once."""

    ctx: Context
    judging: Judging
    anew: bool = False

    def basis(self, kind: Asked) -> Basis:
        """What an analysis of a kind rests on."""
        profile = self.judging.model.profile
        return Basis(
            prompt=prompt_basis(kind, self.ctx.watched.privacy, profile.wording),
            model=profile.name,
            language=self.ctx.language,
        )

    async def find(self, kind: Asked, shas: Sequence[str]) -> Mapping[str, Kept]:
        """What is kept of commits and still holds, by full name."""
        found = await self.judging.analyses.load(
            self.ctx.watched.repository, shas, self.basis(kind)
        )
        now = self.ctx.clock.now()
        return {sha: kept for sha, kept in found.items() if self._holds(kept, now)}

    async def alike(self, kind: Asked, diffs: Collection[str]) -> Mapping[str, Kept]:
        """What is kept of the same changes under another name, by fingerprint."""
        if not diffs:
            return {}
        return await self.judging.analyses.alike(
            self.ctx.watched.repository, diffs, self.basis(kind)
        )

    async def keep(self, kind: Asked, kept: Sequence[Kept]) -> Mapping[str, Kept]:
        """Keep these, and return what stands then."""
        if not kept:
            return {}
        return await self.judging.analyses.save(self.ctx.watched.repository, self.basis(kind), kept)

    def _holds(self, kept: Kept, now: datetime) -> bool:
        if kept.failure is None:
            return True
        return not self.anew and now - kept.at < _FAILURES_HOLD
