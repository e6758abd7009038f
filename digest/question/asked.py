"""The content of a question regardless of word order: slots, cues, author and topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from digest.core.enums import ChangeKind
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.patterns import lazy
from digest.core.reference import Reference
from digest.frozen import frozen
from digest.question import slot_values
from digest.question.commit_range import Refs, Span
from digest.question.intent import Intent, Top
from digest.question.lexicon import says
from digest.question.periods import Now, beside
from digest.question.thing_cues import is_thing, new_things, qualifies, things_listed, things_said
from digest.window import Window

T = TypeVar("T")
_TOPICAL = frozenset({"todo", "foreign", "lines", "state", "help"})
"""Tags of words that name a topic unless they begin a question."""

_TOPICAL_WORDS = frozenset(
    ["in", "about", "on", "to", "of", "with", "regarding", "for", "by", "new", "对", "关于"]
)
"""Words that may precede a topic."""

_PLACES = frozenset({"file", "files", "folder", "directory", "文件", "目录", "文件夹"})
"""Words that ask for numbers only if the question counts or ranks."""

_PACKAGES = frozenset({"crate", "crates", "package", "packages", "包"})
"""Words for parts of the repository if they are ranked, otherwise for dependencies."""
_NAME_LIKE = lazy(r"[A-Z0-9_.]")
_TYING = frozenset({"change", "happened", "kind", "act", "thing", "wrote", "agent", "default"})
_CLOSING = frozenset({"go", "look", "looking", "going", "like"})
_PLEAS = ("can you", "could you", "would you", "please", "pls")
_PLEAS_ZH = ("帮我", "帮忙", "麻烦", "请", "你能", "你可以")
_DEEDS_ZH = ("写", "修", "改", "删", "实现", "重写", "生成", "合并", "回滚", "加", "提")
_GOES = frozenset({"go", "going", "move", "moving", "jump", "get", "come", "coming"})
_COMMANDS = frozenset({"check", "display", "get", "list", "print", "show", "view"})
"""Requests to the bot that are commands of a repository behind its name."""

_MANNERS = frozenset({"noise", "greet", "thanks"})
_SUBJECTS = frozenset({"we", "i", "they"})
_DEEDS = frozenset(
    ["fix", "revert", "add", "remove", "implement", "refactor", "rename", "move", "rewrite", "port"]
)
"""Verbs that ask for an action when they follow a plea."""


@dataclass(frozen=True)
class Asked:
    """A question's tokens without what it excludes; ``known`` are words of the index."""

    text: str
    now: Now
    tokens: tuple[slot_values.Token, ...]
    excluded: tuple[str, ...] = ()
    known: frozenset[str] | None = None
    follows: str = ""
    corrects: bool = False

    @cached_property
    def tags(self) -> dict[str, int]:
        """Each tag, with the index of its first token."""
        found: dict[str, int] = {}
        for place, token in enumerate(self.tokens):
            for tag in token.tags:
                found.setdefault(tag, place)
        return found

    def has(self, *tags: str) -> bool:
        """Whether the question has one of the tags."""
        return any(tag in self.tags for tag in tags)

    def says(self, phrase: str) -> bool:
        """Whether the text contains a phrase of the table of cues, given by its name."""
        return says(self.text, phrase)

    def only(self, *tags: str) -> bool:
        """Whether there are no slots, and every word has one of the tags or is noise."""
        allowed = {*tags, "own", *_MANNERS}
        return all(
            (token.slot is None and token.tags & allowed)
            or token.slot == slot_values.Filters(without=self.without)
            for token in self.tokens
        )

    def only_words(self, *tags: str) -> bool:
        """Whether every word with tags has one of these or is noise."""
        allowed = {*tags, "own", *_MANNERS}
        places = (n for n, token in enumerate(self.tokens) if token.tags and not self.is_left(n))
        return all(self.tokens[place].tags & allowed for place in places)

    def slots(self, kind: type[T]) -> list[T]:
        """The slots of a type, in order."""
        return [token.slot for token in self.tokens if isinstance(token.slot, kind)]

    @cached_property
    def spans(self) -> list[Span]:
        """The windows and ranges."""
        found = [t.slot for t in self.tokens if isinstance(t.slot, Window | Refs)]
        windows = [span for span in found if isinstance(span, Window)]
        if len(windows) == len(found) and len({span.until for span in windows}) == 1:
            return [min(windows, key=lambda span: span.since)]  # "today, compared to last week"
        return found[:1] if self.against else found

    @cached_property
    def against(self) -> Window | None:
        """The second period of a comparison: *this week compared to last week*."""
        windows, steps = self.slots(Window), self.slots(slot_values.Step)
        compares = self.has("compare") or self.says("compares")
        if len(windows) == 1 and not steps and compares and self.says("to_the_last"):
            return beside(windows[0], "period", self.now, later=False)
        if len(windows) == len(steps) == 1 and compares:
            return beside(windows[0], steps[0].unit, self.now, later=steps[0].later)
        two = len(windows) == 2 and not self.slots(Refs)
        return windows[1] if two and compares and windows[0].until != windows[1].until else None

    @property
    def opening(self) -> frozenset[str]:
        """The tags of the first word that is more than a courtesy."""
        told = (t.tags for t in self.tokens if "only" in t.tags or not t.tags & _MANNERS)
        return next(told, frozenset())

    @property
    def span(self) -> Span | None:
        """The window or range, if the question names one."""
        return self.spans[0] if self.spans else None

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words without tags."""
        return tuple(t.text for t in self.tokens if t.slot is None and not t.tags)

    @cached_property
    def references(self) -> list[Reference]:
        """The changes that the question names."""
        return list(dict.fromkeys(self.slots(Reference)))

    @cached_property
    def filters(self) -> slot_values.Filters:
        """The conditions given as ``key:value``."""
        return next(iter(self.slots(slot_values.Filters)), slot_values.Filters())

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
        others = [t for n, t in enumerate(self.tokens) if n not in self._author[1]]
        about = len(spoken) > 1 and any(not (t.tags or t.slot) for t in others)
        if ChangeKind.DEPENDENCIES in spoken and (about or self.counts("per:folder")):
            spoken.remove(ChangeKind.DEPENDENCIES)  # "most changed crates", "git dependency fixes"
        apart = (self.has("join") and not self.says("related")) or self.says("versus")
        if len(spoken) > 1 and not apart:  # "security fixes", "deprecated features" are one kind
            spoken = [k for k in spoken if k not in {ChangeKind.FIX, ChangeKind.FEATURE}] or spoken
        spoken = [] if spoken == [ChangeKind.FEATURE] and self.says("promoted") else spoken
        return tuple(dict.fromkeys((*self.filters.kinds, *spoken)))

    @cached_property
    def level(self) -> Level | None:
        """The minimum level; the highest of several, unless they are joined: *high and medium*."""
        if self.top:
            return self.filters.level
        ranks = self.has("contributors", "per:file", "per:folder", "per:author", "who")
        words = [t for t in self.tokens if not (ranks and "most" in t.tags)]
        if self.kinds or self.has("upgrade"):  # "breaking changes I should know about"
            words = [t for t in words if "know" not in t.text]
        spoken = {Level(tag[6:]) for t in words for tag in t.tags if tag.startswith("level:")}
        named = [level for level in Level if level in spoken][-1 if self.has("join") else 0 :]
        return self.filters.level or next(iter(named), None)

    @cached_property
    def things(self) -> tuple[FactKind, ...]:
        """The requested kinds of names, if the question says what happened to them."""
        spoken = things_said(self.tokens, self.values.get("thing", ()))
        said = (
            self.actions
            or (ChangeKind.DEPRECATIONS in self.kinds and FactKind.SYMBOL not in spoken)
            or things_listed(self.tokens, changed=self.has("change"))
            or (self.has("default") and self.has("change"))
        )
        return tuple(dict.fromkeys((*self.filters.things, *(spoken if said else ()))))

    @cached_property
    def top(self) -> Top | None:
        """The requested length of a list, and its ranking."""
        return next(iter(self.slots(Top)), None)

    def counts(self, tag: str) -> bool:
        """Whether the question asks for numbers by file or folder: *which files changed most*."""
        ranks = self.has("most", "count") or self.top
        packages = any(token.text.lower() in _PACKAGES for token in self.tokens)
        if tag == "per:folder" and self.has("most") and packages:
            return True
        return any(
            tag in token.tags
            and (ranks or token.text.lower() not in _PLACES or (before and "ask" in before.tags))
            for before, token in zip((None, *self.tokens), self.tokens, strict=False)
        )

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """What happened to the names; *new* counts only before a kind of name."""
        if self.against:
            return self.filters.actions  # "were there more": nothing was added
        spoken = [Action(value) for value in self.values.get("act", ())]
        if self.has("catchup"):
            spoken = [action for action in spoken if action is not Action.REMOVED]  # "I was gone"
        if not spoken and new_things(self.tokens):
            spoken.append(Action.ADDED)
        if ChangeKind.DEPRECATIONS in self.kinds and self.has("future", "neg", "except"):
            spoken = [action for action in spoken if action is not Action.REMOVED]  # not yet gone
        if ChangeKind.FEATURE in self.kinds and not self.values.get("thing"):
            spoken = [action for action in spoken if action is not Action.ADDED]
        return tuple(dict.fromkeys((*self.filters.actions, *spoken)))

    @cached_property
    def _author(self) -> tuple[str, frozenset[int]]:
        """The author's name and the indexes of its tokens."""
        if self.filters.author:
            return self.filters.author, frozenset()
        return slot_values.author_in(self.tokens, self.known, asks_who=self.has("who"))

    @property
    def author(self) -> str:
        """Part of an author's name, or empty."""
        return self._author[0]

    @cached_property
    def left(self) -> tuple[str, ...]:
        """The words that are in no table, without the author's name."""
        return tuple(
            name
            for place, token in enumerate(self.tokens)
            if self.is_left(place) and (name := slot_values.name_of(token))
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
        if token.slot is not None:
            return isinstance(token.slot, slot_values.Symbol | slot_values.Quote)
        if is_thing(token) or token.text.isdecimal():
            return (not self.things and self._in_topic(place)) if is_thing(token) else after_topic
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        own = place > 0 and "own" in self.tokens[place - 1].tags  # "uv publish"
        if qualifies(self.tokens, place):
            return True
        goes = token.text.lower() in _GOES and after and isinstance(after.slot, Refs)
        if goes or ("todo" in token.tags and self._is_statement(place)):
            return False  # "go from 3.13 to 3.14"
        if not token.tags and place in self._stray:
            return False
        own = own or ("help" in token.tags and not self.only("help", "ask", "aux", "me"))
        if own and "noise" in token.tags and token.text.lower() in _COMMANDS:
            before = self.tokens[place - 2 if place > 1 else place]  # "status of uv check"
            return "aux" in before.tags or before.text.lower().split()[-1] in _TOPICAL_WORDS
        if token.tags in ({"graded"}, {"per:file"}) and place + 1 < len(self.tokens):
            after = self.tokens[place + 1]
            return token.text.isascii() and after.slot is None and not after.tags  # "rate limits"
        if token.tags == {"state"} and self.says("promoted"):
            return says(token.text, "promoted")  # "promoted to stable"
        own = own or place > self._first or bool(after and "kind:feature" in after.tags)
        return not token.tags or (token.tags <= _TOPICAL and own)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Words that neither tables nor the repository know, and that are not marked as a topic."""
        return tuple(self.tokens[place].text for place in sorted(self._stray - self._author[1]))

    @cached_property
    def _stray(self) -> frozenset[int]:
        """The indexes of words that are no part of a topic."""
        found = set()
        how = any("ask" in t.tags and t.text.lower().startswith("how") for t in self.tokens[:2])
        for place, token in enumerate(self.tokens):
            if token.slot is not None or token.tags or not token.text:
                continue
            closes = place == len(self.tokens) - 1 and token.text.lower() in _CLOSING
            known = self.known is not None and token.text.lower() in self.known
            single = len(token.text) == 1 and not token.text.isascii() and not known
            unknown = self.known is not None and not known
            unknown = unknown and not self._stands_as_topic(place)
            if single or unknown or (closes and how):
                found.add(place)
        return frozenset(found)

    def _stands_as_topic(self, place: int) -> bool:
        """Whether the surrounding words mark something as a topic, whatever its name."""
        text = self.tokens[place].text
        if any(sign.isupper() or sign.isdecimal() or sign in "-_." for sign in text[:40]):
            return True
        return self._is_marked(place)

    @cached_property
    def is_loose(self) -> bool:
        """Whether a whole question about changes names its topic only by chance, in passing.

        In *Need a steering-meeting summary covering July* nothing marks a word as the topic.
        """
        said = self.has("change", "digest", "catchup", "count", "happened", "per:day") or self.level
        places = self._left_places if self.span and said else ()
        return bool(places) and not any(map(self._is_tied, places))

    def _is_tied(self, place: int) -> bool:
        """Whether its form or a word beside it says that a word is a topic."""
        beside = self.tokens[max(place - 1, 0) : place + 2]
        tags = {tag.partition(":")[0] for token in beside for tag in token.tags}
        if self.has("catchup"):
            return self._is_marked(place)  # "at KubeCon, what did I miss"
        formed = self.tokens[place].slot or _NAME_LIKE.search(self.tokens[place].text)
        return bool(formed or tags & _TYING or "own" in beside[0].tags) or self._is_marked(place)

    def _is_marked(self, place: int) -> bool:
        """Whether a word beside it says that a word is a topic: *in X*, *X changes*, *X bumped*."""
        text, before = self.tokens[place].text, self.tokens[place - 1] if place else None
        near = self.tokens[place + 1 : place + 3]
        after = next((t for t in near if "aux" not in t.tags), None)  # "X been bumped"
        while before and before.text.lower() in slot_values.ARTICLES:
            place -= 1
            before = self.tokens[place - 1] if place else None
        last = before.text.lower().rpartition(" ")[2] if before else ""  # "diff of"
        named = bool(before and (last in _TOPICAL_WORDS or before.tags & {"about", "only"}))
        named = named or (last == "which" and after not in near[:1])
        said = after.text.lower() if after else ""
        several = ("bump", "change", "kind:") if said.endswith("s") else ("bump",)
        noun = after and any(tag.startswith(several) for tag in after.tags)
        marked = named or noun or said in slot_values.RELATED
        return bool(marked) or (not text.isascii() and len(text) > 2)

    @property
    def without(self) -> tuple[str, ...]:
        """What the answer leaves out: *except CI*, *without docs*."""
        return tuple(dict.fromkeys((*self.filters.without, *self.excluded)))

    @cached_property
    def _first(self) -> int:
        """The index of the first meaningful word."""
        fillers = {"noise", "greet", "own", "aux", "me", "ask"}
        places = (n for n, t in enumerate(self.tokens) if not t.tags or t.tags - fillers)
        return next(places, 0)

    @property
    def commands(self) -> bool:
        """Whether it begins as a command for something other than an answer."""
        at = self._first
        if not self.tokens or self._is_statement(at) or qualifies(self.tokens, at):
            return False
        first, before = self.tokens[at], self.tokens[:at]
        asks = any(t.text.lower().startswith(_PLEAS) for t in before)
        if any(t.tags & {"ask", "aux", "own"} or t.text == "are there" for t in before):
            return False
        urges = bool(before) and before[-1].text.startswith(_PLEAS_ZH)
        urges = urges and first.text.startswith(_DEEDS_ZH)
        return "todo" in first.tags or (asks and first.text.lower() in _DEEDS) or urges

    def _is_statement(self, place: int) -> bool:
        """Whether a verb says what the asker does: *we run mixtral*, *i deploy main*."""
        return place > 0 and self.tokens[place - 1].text.lower() in _SUBJECTS

    def _in_topic(self, place: int) -> bool:
        """Whether a kind of name is a topic itself: *in the API*, *API server*."""
        before = place - 1
        while before >= 0 and self.tokens[before].text.lower() in slot_values.ARTICLES:
            before -= 1
        after = self.tokens[place + 1] if place + 1 < len(self.tokens) else None
        if after is not None and after.slot is None and not after.tags:
            return True
        if before < 0 or self.tokens[before].slot is not None:
            return True
        tags = self.tokens[before].tags
        return "prep" in tags or not (tags & {"ask", "aux"} or self.has("kind:deprecations"))

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
                joins = "join" in token.tags or token.text.lower() in {"of", "vs", "versus"}
                joint = token.text if joins else ""
            elif name := slot_values.name_of(token):
                chinese = not (name[0].isascii() or text[-1:].isascii())
                chinese = chinese or (token.glued and self.is_left(place - 1))
                gap = "" if chinese or not text else " "
                text += f"{gap}{joint}{gap}{name}" if joint and text else f"{gap}{name}"
                joint = ""
        return text


@frozen(kw_only=False)
class Weighed:
    """A reading with its weight."""

    weight: float
    intent: Intent


Rule = Callable[[Asked], Iterator[Weighed]]
"""Yields the readings of a question as one kind of intent."""

RULES: list[Rule] = []


def rule(reader: Rule) -> Rule:
    """Register a rule with the parser."""
    RULES.append(reader)
    return reader
