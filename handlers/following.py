"""An analysis told while it is made: each statement as soon as it is whole and checked."""

from __future__ import annotations

from dataclasses import dataclass, field

from digest.evidence.reply import SECTIONS
from digest.evidence.sieve import Sieve
from digest.language import Language
from digest.material import Material
from digest.unfolding import Unfolding
from handlers.asking import Watch
from handlers.judgement import Listener


def follow(material: Material, language: Language, listener: Listener) -> Watch:
    """What tells a listener of a reply on a change; nothing unchecked reaches it."""
    follower = _Follower(material=material, language=language, listener=listener)
    return Watch(piece=follower.piece, restart=follower.restart)


@dataclass(slots=True, kw_only=True)
class _Follower:
    material: Material
    language: Language
    listener: Listener
    _unfolding: Unfolding = field(default_factory=Unfolding)
    _sieve: Sieve = field(init=False)

    def __post_init__(self) -> None:
        self._sieve = Sieve(self.material, self.language)

    def piece(self, text: str) -> None:
        for section, entry in self._unfolding.feed(text):
            if section not in SECTIONS:
                continue
            statement = self._sieve.one(section, entry)
            if statement is not None:
                self.listener.hear(section, statement)

    def restart(self) -> None:
        self._unfolding = Unfolding()
        self._sieve = Sieve(self.material, self.language)
        self.listener.restart()
