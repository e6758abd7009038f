"""The content of a question regardless of word order: slots, cues, author and topic."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from digest.core.enums import ChangeKind
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.reference import Reference
from digest.question.commit_range import Refs, Span
from digest.question.intent import Intent
from digest.question.periods import Now
from digest.question.slot_values import Filters, Quote, Symbol, Token
from digest.window import Window

_ARTICLES = frozenset({"the", "our", "a", "an", "this"})

_COMMITS = frozenset({"commit", "commits", "pr", "prs", "pull request", "pull requests", "patches"})

_MOST_NAMES = 4
"""Maximum number of words of a name."""


def name_of(token: Token) -> str:
    """The token's words without signs and particles around them."""
    if isinstance(token.slot, Quote):
        return token.slot.text
    if isinstance(token.slot, Symbol):
        return token.slot.name
    if token.text.isascii():
        return token.text.strip("'’&+/-")
    text = token.text.lstrip("在对把被从向于的了和与有")
    return text.rstrip("的了里中上内有和与在") if len(text) > 2 else text


def _is_name(token: Token, *, after_by: bool = False) -> bool:
    if isinstance(token.slot, Quote | Symbol):
        return True
    if token.slot is not None or not token.text or not token.text[0].isalpha():
        return False
    return not token.tags or (after_by and token.text[0].isupper() and "own" not in token.tags)


def _run(tokens: Sequence[Token], place: int, *, after_by: bool = False) -> list[int]:
    """The indexes of a name that begins at an index: capitals extend it, small words end it."""
    found: list[int] = []
    for at in range(place, min(place + _MOST_NAMES, len(tokens))):
        token = tokens[at]
        if not _is_name(token, after_by=after_by):
            break
        if found and not name_of(token)[:1].isupper():
            break
        found.append(at)
        if token.owns:
            break
    return found


def _after_by(tokens: Sequence[Token], place: int) -> list[int]:
    """*by Ada*, *PRs from Ada*, *由 Ada*."""
    token = tokens[place]
    text = token.text.lower()
    said_by = "by" in token.tags or text == "由" or text.startswith("作者")
    before = tokens[place - 1].text.lower() if place else ""
    if not said_by and not (text == "from" and before in _COMMITS):
        return []
    return _run(tokens, place + 1, after_by=True)


def _doer(tokens: Sequence[Token], place: int) -> list[int]:
    """*did Ada do*, *has Ada been working on*, *what did Ada change*."""
    token = tokens[place]
    if "aux" not in token.tags:
        return []
    names = _run(tokens, place + 1)
    after = tokens[names[-1] + 1 :] if names else ()
    verb = next(
        (
            t
            for t in after
            if t.slot is None and (not t.tags & {"aux", "noise"} or "agent" in t.tags)
        ),
        None,
    )
    if verb is None or tokens[names[-1]].owns:
        return []
    said_what = place > 0 and "ask" in tokens[place - 1].tags
    if "agent" in verb.tags and ("change" not in verb.tags or said_what):
        return names
    acts = any(
        tag in {"change", "bump"} or tag[:5] in {"kind:", "act:a", "act:r"} for tag in verb.tags
    )
    return names if said_what and acts else []


def _owner(tokens: Sequence[Token], place: int) -> list[int]:
    """*Ada's changes*."""
    names = _run(tokens, place)
    if not names or not tokens[names[-1]].owns or names[-1] + 1 >= len(tokens):
        return []
    if place and tokens[place - 1].text.lower() in _ARTICLES:
        return []
    after = tokens[names[-1] + 1 : names[-1] + 3]
    counts = ("change", "agent", "digest")
    said = any(t.tags.intersection(counts) or any(x[:5] == "kind:" for x in t.tags) for t in after)
    return names if said else []


def _before_agent(tokens: Sequence[Token], place: int) -> list[int]:
    """*Ada 本周做了什么*: a name, perhaps a period, and what somebody does."""
    names = _run(tokens, place)
    if not names:
        return []
    after = iter(tokens[names[-1] + 1 :])
    verb = next(
        (t for t in after if not isinstance(t.slot, Window | Refs) and t.text not in "都又在最近"),
        None,
    )
    if verb is None or verb.text.isascii() or "agent" not in verb.tags:
        return []
    if "change" in verb.tags and verb.text != "提交":
        return []
    following = next((t for t in after if "ask" not in t.tags), None)
    named = following is None or not following.tags & {"change"} or following.text == "提交"
    if not tokens[place].text.isascii() and not 2 <= len(tokens[place].text) <= 4:
        return []
    return names if named or verb.text == "提交" else []


_BOTS = dict.fromkeys(("bot", "bots", "robots", "机器人"), "[bot]")
"""General words for bots, with the text that their names share."""


def author_in(tokens: Sequence[Token], *, asks_who: bool) -> tuple[str, frozenset[int]]:
    """The author's name, as far as words give it, and the indexes of its tokens."""
    rules = (_after_by, _owner) if asks_who else (_after_by, _doer, _owner, _before_agent)
    for place in range(len(tokens)):
        for rule in rules:
            if names := rule(tokens, place):
                name = " ".join(name_of(tokens[n]) for n in names)
                return _BOTS.get(name.lower(), name), frozenset(names)
    return "", frozenset()


T = TypeVar("T")

_TOPICAL = frozenset({"todo", "foreign"})
"""Tags of words that are topic names unless they begin a question."""

_PLEAS = ("can you", "could you", "would you", "please", "pls")

_DEEDS = frozenset({"fix", "revert", "add", "remove", "implement", "refactor", "rename", "move"})
"""Verbs that ask for an action when they follow a plea."""


@dataclass(frozen=True)
class Asked:
    """A question as tokens; ``bare`` is its text."""

    text: str
    tokens: tuple[Token, ...]

    @cached_property
    def tags(self) -> dict[str, int]:
        """Each tag with the index of its first token."""
        found: dict[str, int] = {}
        for place, token in enumerate(self.tokens):
            for tag in token.tags:
                found.setdefault(tag, place)
        return found

    def has(self, *tags: str) -> bool:
        """Whether it has one of the tags."""
        return any(tag in self.tags for tag in tags)

    def only(self, *tags: str) -> bool:
        """Whether there are no slots, and every word has one of the tags or is noise."""
        allowed = {*tags, "noise", "own", "greet", "thanks"}
        return all(token.slot is None and token.tags & allowed for token in self.tokens)

    def only_words(self, *tags: str) -> bool:
        """Whether every word with tags has one of these or is noise."""
        allowed = {*tags, "noise", "own", "greet", "thanks"}
        places = (n for n, token in enumerate(self.tokens) if token.tags and not self.is_left(n))
        return all(self.tokens[place].tags & allowed for place in places)

    def slots(self, kind: type[T]) -> list[T]:
        """The slots of a type, in order."""
        return [token.slot for token in self.tokens if isinstance(token.slot, kind)]

    @cached_property
    def spans(self) -> list[Span]:
        """Windows and ranges."""
        return [t.slot for t in self.tokens if isinstance(t.slot, Window | Refs)]

    @property
    def span(self) -> Span | None:
        """The window or range, if it names one."""
        return self.spans[0] if self.spans else None

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words without tags."""
        return tuple(t.text for t in self.tokens if t.slot is None and not t.tags)

    @cached_property
    def references(self) -> list[Reference]:
        """The changes that it names."""
        return list(dict.fromkeys(self.slots(Reference)))

    @cached_property
    def filters(self) -> Filters:
        """The conditions given as ``key:value``."""
        return next(iter(self.slots(Filters)), Filters())

    @cached_property
    def values(self) -> dict[str, tuple[str, ...]]:
        """The values of tags such as ``kind:fix``, by the part before the colon."""
        found: dict[str, list[str]] = {}
        for tag in sorted(self.tags, key=lambda tag: (self.tags[tag], tag)):
            family, colon, value = tag.partition(":")
            if colon:
                found.setdefault(family, []).append(value)
        return {family: tuple(values) for family, values in found.items()}

    @cached_property
    def kinds(self) -> tuple[ChangeKind, ...]:
        """Kinds of change, those of filters first."""
        spoken = [ChangeKind(value) for value in self.values.get("kind", ())]
        if len(spoken) > 1 and ChangeKind.FIX in spoken and not self.has("join"):
            spoken.remove(ChangeKind.FIX)  # "security fixes" are of one kind
        return tuple(dict.fromkeys((*self.filters.kinds, *spoken)))

    @cached_property
    def level(self) -> Level | None:
        """The minimum level; the highest if several words name one."""
        ranks = self.has("contributors", "per:file", "per:author")
        words = (t for t in self.tokens if not (ranks and "most" in t.tags))
        spoken = {Level(tag[6:]) for t in words for tag in t.tags if tag.startswith("level:")}
        return self.filters.level or next((level for level in Level if level in spoken), None)

    @cached_property
    def things(self) -> tuple[FactKind, ...]:
        """The kinds of names asked for, if the question says that something happened to them."""
        spoken = tuple(FactKind(value) for value in self.values.get("thing", ()))
        said = self.actions or self._listed_things
        return tuple(dict.fromkeys((*self.filters.things, *(spoken if said else ()))))

    @cached_property
    def _listed_things(self) -> bool:
        """Whether names are asked for: *which flags changed*."""
        before = self.tokens[0] if self.tokens else None
        for token in self.tokens:
            if _is_thing(token) and before and "ask" in before.tags and self.has("change"):
                return True
            before = token
        return False

    @property
    def counts_files(self) -> bool:
        """Whether numbers by file are asked for: *which files changed most*, *per folder*."""
        words = [token.text.lower() for token in self.tokens if "per:file" in token.tags]
        plain = {"file", "files", "folder", "directory", "文件", "目录", "文件夹"}
        asks = self.has("most", "count") or any(
            "ask" in before.tags and "per:file" in token.tags
            for before, token in zip(self.tokens, self.tokens[1:], strict=False)
        )
        return bool(words) and (asks or any(word not in plain for word in words))

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """What happened to them; *new* counts only before a kind of name."""
        spoken = [Action(value) for value in self.values.get("act", ())]
        fresh = any(t.text.lower() in {"new", "新", "新的", "newest"} for t in self.tokens)
        if fresh and not spoken and self._new_thing:
            spoken.append(Action.ADDED)
        return tuple(dict.fromkeys((*self.filters.actions, *spoken)))

    @cached_property
    def _new_thing(self) -> bool:
        """Whether new names of a kind are asked for: *new flags*, *which flags are new*."""
        tokens = self.tokens
        for before, token in itertools.pairwise(tokens):
            if _is_thing(token) and (
                "ask" in before.tags or before.text.lower().startswith(("new", "新"))
            ):
                return True
        return bool(tokens) and _is_thing(tokens[0])

    @cached_property
    def _author(self) -> tuple[str, frozenset[int]]:
        """The author's name and the indexes of its tokens."""
        if self.filters.author:
            return self.filters.author, frozenset()
        return author_in(self.tokens, asks_who=self.has("who"))

    @property
    def author(self) -> str:
        """Part of an author's name, or empty."""
        return self._author[0]

    @cached_property
    def left(self) -> tuple[str, ...]:
        """The words that are in no table, without those of the author."""
        return tuple(
            name
            for place, token in enumerate(self.tokens)
            if self.is_left(place) and (name := name_of(token))
        )

    def is_left(self, place: int) -> bool:
        """Whether the token at an index may be part of a topic."""
        return place in self._left_places

    @cached_property
    def _left_places(self) -> frozenset[int]:
        found: set[int] = set()
        for place in range(len(self.tokens)):
            if self._is_topical(place, after_topic=place - 1 in found):
                found.add(place)
        return frozenset(found)

    def _is_topical(self, place: int, *, after_topic: bool) -> bool:
        """Whether a token may be part of a topic; a number only after another such token."""
        token = self.tokens[place]
        if place in self._author[1]:
            return False
        if isinstance(token.slot, Symbol | Quote):
            return True
        if token.slot is not None:
            return False
        if _is_thing(token):
            return not self.things and self._in_topic(place)
        if token.text.isdecimal():
            return after_topic
        return not token.tags or (token.tags <= _TOPICAL and place > self._first)

    @cached_property
    def _first(self) -> int:
        """The index of the first meaningful word."""
        fillers = {"noise", "greet", "own", "aux", "me", "ask"}
        places = (n for n, t in enumerate(self.tokens) if not t.tags or t.tags - fillers)
        return next(places, 0)

    @property
    def commands(self) -> bool:
        """Whether it begins as a command for something other than an answer."""
        first = self.tokens[self._first] if self.tokens else None
        if first is None:
            return False
        before = self.tokens[: self._first]
        asks = any(t.text.lower().startswith(_PLEAS) for t in before)
        if any(t.tags & {"ask", "aux"} for t in before) or (
            before and before[0].text == "are there"
        ):
            return False
        return "todo" in first.tags or (asks and first.text.lower() in _DEEDS)

    def _in_topic(self, place: int) -> bool:
        """Whether a kind of name is a topic itself: *in the API*, *API server*."""
        before = place - 1
        while before >= 0 and self.tokens[before].text.lower() in _ARTICLES:
            before -= 1
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if after is not None and after.slot is None and not after.tags:
            return True
        if before < 0 or self.tokens[before].slot is not None:
            return True
        return (
            not self.tokens[before].tags & {"ask", "aux"} and not self.has("kind:deprecations")
        ) or ("prep" in self.tokens[before].tags)

    @property
    def is_writing(self) -> bool:
        """Whether it asks who wrote: *author*, or *who* with *wrote*; but not *authors*."""
        return self.has("who") or any(
            ("wrote" in token.tags and "author" in token.text.lower())
            or token.text.startswith(("作者", "谁写"))
            for token in self.tokens
        )

    @cached_property
    def topic(self) -> str:
        """The words of the topic, with the original joints between them."""
        text = joint = ""
        for place, token in enumerate(self.tokens):
            if not self.is_left(place):
                joint = token.text if "join" in token.tags else ""
            elif name := name_of(token):
                chinese = token.glued or not (name[0].isascii() or text[-1:].isascii())
                gap = "" if chinese or not text else " "
                text += f"{gap}{joint}{gap}{name}" if joint and text else f"{gap}{name}"
                joint = ""
        return text


def _is_thing(token: Token) -> bool:
    return any(tag.startswith("thing:") for tag in token.tags)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A reading with its weight."""

    weight: float
    intent: Intent


Rule = Callable[[Asked, Now], Iterator[Weighed]]
"""Gives the readings of a question that one kind of intent allows."""
