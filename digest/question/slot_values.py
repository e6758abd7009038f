"""The slots and words of a question, and parts found by word order: authors, names, exclusions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from digest.core.enums import ChangeKind
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.patterns import lazy
from digest.core.reference import Reference
from digest.frozen import frozen
from digest.question.commit_range import Refs, Span
from digest.question.intent import Top
from digest.question.lexicon import NONE, chinese, english
from digest.window import Window


@frozen(kw_only=False)
class Quote:
    """Text in quotation marks."""

    text: str


@frozen(kw_only=False)
class Release:
    """A version, or the mark for the latest one."""

    name: str


@frozen(kw_only=False)
class Path:
    """A path of the repository."""

    path: str


@frozen(kw_only=False)
class Symbol:
    """A name of code; ``sure`` if it is certainly one, such as a flag."""

    name: str
    sure: bool


@frozen(kw_only=False)
class Platform:
    """The build whose required version is asked for: *the torch version for cuda*."""

    name: str


@frozen(kw_only=False)
class Filters:
    """Conditions given as ``key:value``."""

    author: str = ""
    path: str = ""
    level: Level | None = None
    kinds: tuple[ChangeKind, ...] = ()
    label: str = ""
    without: tuple[str, ...] = ()
    things: tuple[FactKind, ...] = ()
    actions: tuple[Action, ...] = ()


@frozen(kw_only=False)
class Stray:
    """Text that is not part of a question: an unrelated URL, an option of a command."""

    text: str


@frozen(kw_only=False)
class Step:
    """The period before or after the one under discussion, of a length if ``unit`` names one."""

    unit: str
    later: bool


Slot = Quote | Release | Path | Symbol | Platform | Filters | Stray | Step | Top | Reference | Span


@frozen(kw_only=False)
class Token:
    """A word with its tags, or a slot; ``owns``: it had ``'s``, ``glued``: no blank before it."""

    text: str
    tags: frozenset[str] = NONE
    slot: Slot | None = None
    owns: bool = False
    glued: bool = False

    @property
    def is_slot_or_cue(self) -> bool:
        """Whether it means something other than a topic or the subject of a change."""
        return self.slot is not None or any(not tag.startswith("thing:") for tag in self.tags)


@frozen(kw_only=False)
class Background:
    """Knowledge about the repository in question.

    ``own`` are its names in lower case; ``known`` are the words in its index that look
    misspelt, and ``words`` all words of the question in it, both in lower case; ``None`` if it was
    not looked up.

    ``follows``: the question comes after an answer, about a ``change``, a ``name``, a
    ``release``, a ``list`` or a ``row``, a list of one;
    ``corrects``: it corrects the previous question.
    """

    own: frozenset[str] = frozenset()
    known: frozenset[str] | None = None
    words: frozenset[str] | None = None
    follows: str = ""
    corrects: bool = False


ARTICLES = frozenset({"the", "our", "a", "an", "this"})
RELATED = ("相关", "有关", "方面", "support")
_COMMITS = frozenset({"commit", "commits", "pr", "prs", "pull request", "pull requests", "patches"})
MOST_NAMES = 4  # maximum number of words of a name


def name_of(token: Token) -> str:
    """The token's words without signs and particles around them."""
    if isinstance(token.slot, Quote):
        return token.slot.text
    if isinstance(token.slot, Symbol):
        return token.slot.name
    if isinstance(token.slot, Platform | Top):
        return ""
    text = token.text.strip("'’&+/-").lstrip("在对把被从向于的了和与有")
    return text.rstrip("的了里中上内有和与在") if len(text) > 2 else text


def _is_name(token: Token, *, after_by: bool = False) -> bool:
    if isinstance(token.slot, Quote | Symbol):
        return after_by or isinstance(token.slot, Quote) or not token.slot.sure
    if token.slot is not None or not token.text or not token.text[0].isalpha():
        return False
    if token.text in _PARTICLES:
        return True
    return not token.tags or (after_by and token.text[0].isupper() and "own" not in token.tags)


_PARTICLES = frozenset(
    {"de", "da", "di", "dos", "del", "van", "von", "der", "den", "la", "le", "bin"}
)


def _run(tokens: Sequence[Token], place: int, *, after_by: bool = False) -> list[int]:
    """The indexes of a name that begins at an index: capitals extend it, small words end it."""
    found: list[int] = []
    for at in range(place, min(place + MOST_NAMES, len(tokens))):
        token = tokens[at]
        if not _is_name(token, after_by=after_by):
            break
        part = name_of(token) in _PARTICLES and at + 1 < len(tokens)
        part = part and name_of(tokens[at + 1])[:1].isupper()
        if found and not (name_of(token)[:1].isupper() or token.owns or part):
            break
        found.append(at)
        if token.owns:
            break
    return found


def _people(tokens: Sequence[Token], place: int) -> list[int]:
    """The indexes of one name or of several with words between: *ada and bob*, *ada 和 bob*."""
    found = _run(tokens, place)
    while found and found[-1] + 1 < len(tokens) and tokens[found[-1] + 1].text in _AND:
        others = _run(tokens, found[-1] + 2)
        if not others:
            break
        found += [found[-1] + 1, *others]
    return found


_AND = frozenset({"or", "and", "&", "和", "与", "跟", "及"})


def _after_by(tokens: Sequence[Token], place: int) -> list[int]:
    """*by Ada*, *PRs from Ada*, *由 Ada*."""
    token = tokens[place]
    text = token.text.lower()
    said_by = "by" in token.tags or text == "由" or text.startswith("作者")
    before = tokens[place - 1].text.lower() if place else ""
    if not said_by and not (text == "from" and before in _COMMITS):
        return []
    names = _whole(tokens, place + 1)
    while names and (end := names[-1] + 1) < len(tokens) and tokens[end].text in _AND:
        others = _whole(tokens, end + 1)
        if not others or any("by" in token.tags for token in tokens[end:]):
            break  # or another clause: "fixes by ada and docs by grace"
        names += [end, *others]
    return names


def _whole(tokens: Sequence[Token], place: int) -> list[int]:
    """The indexes of one person's name after "by", also in small letters: *ada lovelace*."""
    names, end = _run(tokens, place, after_by=True), place + 2
    plain = [t for t in tokens[place:end] if t.slot is None and t.text.isalpha()]
    last = end >= len(tokens) or tokens[end].slot is not None or tokens[end].text in _AND
    last = last or bool(tokens[end].tags & {"figures", "prep"})  # "by ada lovelace with numbers"
    if len(names) == 1 and last and [t.tags for t in plain] == [frozenset()] * 2:
        names.append(place + 1)
    return names


def _doer(tokens: Sequence[Token], place: int) -> list[int]:
    """*did Ada do*, *has Ada been working on*, *the commit where Ada updated*."""
    token = tokens[place]
    described = token.text.lower().endswith((" where", " that", " which"))  # "the commit where"
    if "aux" not in token.tags and not described:
        return []
    bots = place + 2 < len(tokens) and tokens[place + 2].text.lower() in _BOTS
    names = _people(tokens, place + 2 if bots else place + 1)  # "did the bots do"
    said_what = described or (place > 0 and "ask" in tokens[place - 1].tags)
    if names and said_what:  # "what did ada lovelace do"
        last, verb = (*tokens[names[-1] + 1 : names[-1] + 3], None, None)[:2]
        small = last and last.slot is None and not last.tags
        if small and verb and verb.tags & {"agent", "change", "bump"}:
            names.append(names[-1] + 1)
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
    if "agent" in verb.tags and ("change" not in verb.tags or said_what):
        return names
    acts = any(
        tag in {"change", "bump"} or tag[:5] in {"kind:", "act:a", "act:r"} for tag in verb.tags
    )
    commits = token.text.lower() == "did" and verb.text.lower() in _COMMITTING
    rest = after[after.index(verb) + 1 :]
    mends = "change" in verb.tags or "kind:fix" in verb.tags
    named = "kind:fix" in verb.tags or tokens[names[0]].text[:1].isupper()  # "did torch change"
    said = rest[0].text.lower() if rest else ""
    commits = commits or (mends and named and said.startswith(_ANYTHING))
    return names if (said_what and acts) or (commits and len(after) > 1) else []


_ANYTHING = ("anything", "something")  # "did Ada fix anything in the parser"
_COMMITTING = {"commit", "push", "merge", "submit", "contribute", "touch", "edit"}  # of people only


def _owner(tokens: Sequence[Token], place: int) -> list[int]:
    """*Ada's changes*."""
    names = _run(tokens, place)
    if not names or not tokens[names[-1]].owns:
        return []
    if names[-1] + 1 == len(tokens):  # "only Ada's"
        return names if place and tokens[place - 1].tags & {"only", "again"} else []
    if place and tokens[place - 1].text.lower() in ARTICLES:
        return []
    after = tokens[names[-1] + 1 : names[-1] + 3]
    counts = ("change", "agent", "digest")
    said = any(t.tags.intersection(counts) or any(x[:5] == "kind:" for x in t.tags) for t in after)
    return names if said else []


def _before_agent(
    tokens: Sequence[Token], place: int, *, known: frozenset[str] | None
) -> list[int]:
    """*Ada 本周做了什么*: a name, perhaps a period, and what somebody does.

    A word that is not ``known`` is a name before what may be done to a topic too.
    """
    names = _people(tokens, place)
    if not names:
        return []
    rest = tokens[names[-1] + 1 :]
    each = len(names) > 1 and any(t.text in _EACH for t in rest)
    after = iter(rest)
    verb = next(
        (t for t in after if not isinstance(t.slot, Window | Refs) and t.text not in _BEFORE_VERBS),
        None,
    )
    if verb is None or verb.text.isascii() or "agent" not in verb.tags:
        return []
    if each:
        return names
    stranger = known is not None and tokens[place].text.isascii()
    stranger = stranger and tokens[place].text.lower() not in (known or ())
    if "change" in verb.tags and verb.text != "提交" and not stranger:
        return []
    following = next((t for t in after if "ask" not in t.tags), None)
    named = following is None or not following.tags & {"change"} or following.text == "提交"
    if not tokens[place].text.isascii() and not 2 <= len(tokens[place].text) <= 4:
        return []
    return names if named or verb.text == "提交" else []


_EACH = frozenset({"各", "各自", "分别"})
_BEFORE_VERBS = _EACH | {*"都又在最近", "最近", "都在"}
_BOTS = dict.fromkeys(("bot", "bots", "robots", "机器人"), "[bot]")
"""General words for bots, with the text that their names share."""


def author_in(
    tokens: Sequence[Token], known: frozenset[str] | None, *, asks_who: bool
) -> tuple[str, frozenset[int]]:
    """The author's name, as far as words give it, and the indexes of its tokens.

    A Chinese character that the repository knows is a name.
    """
    for place, token in enumerate(tokens):
        single = len(token.text) == 1 and not token.text.isascii() and not token.tags
        if single and token.slot is None and token.text in (known or ()):
            return token.text, frozenset({place})
    owner = (_owner,) if any(token.owns for token in tokens) else ()
    agent = any("agent" in token.tags and not token.text.isascii() for token in tokens)
    doers = (_doer, *owner, *[partial(_before_agent, known=known)] * agent)
    rules = (_after_by, *(owner if asks_who else doers))
    for place in range(len(tokens)):
        for rule in rules:
            if names := rule(tokens, place):
                name = " ".join(name_of(tokens[n]) or tokens[n].text for n in names)
                return _BOTS.get(name.lower(), name), frozenset(names)
    bots = [n for n, token in enumerate(tokens) if token.text.lower() in _BOTS and not token.tags]
    return ("[bot]", frozenset(bots)) if bots else ("", frozenset())


# --- Filters --------------------------------------------------------------------------------------

_KEYS = {
    "author": "author", "by": "author", "作者": "author",
    "path": "path", "file": "path", "路径": "path", "文件": "path",
    "level": "level", "级别": "level",
    "kind": "kind", "type": "kind", "类型": "kind",
    "label": "label", "tag": "label", "标签": "label",
    "thing": "thing", "action": "action", "without": "without",
}  # fmt: skip
_FILTER = lazy(
    r"(?<![\w\".-])(author|by|path|file|level|kind|type|label|tag|thing|action|without): ?"
    r"(?:\"([^\"]{1,200})\"|([^\s\",]{1,200}))"
    r"|(作者|路径|文件|级别|类型|标签)[是为]?: ?(?:\"([^\"]{1,200})\"|([^\s\",，的]{1,80}))的?"
    r"|\"[^\"]*\"",
    re.IGNORECASE,
)
_LABELLED = lazy(
    r"\b(?:labell?ed|tagged)(?: as| with)?(?! (?:version|release)s?\b)"
    r" (?:\"([^\"]{1,80})\"|([^\s\"]{1,80}))"
    r"|\bwith (?:the )?(?:label|tag) (?:\"([^\"]{1,80})\"|([^\s\"]{1,80}))"
    r"|(?:带有?|标有) ?(?:\"([^\"]{1,80})\"|([^\s\"，的]{1,40})) ?标签的",
    re.IGNORECASE,
)

_LEVELS_ZH = {"高": Level.HIGH, "中": Level.MEDIUM, "低": Level.LOW}


def filters_in(text: str) -> tuple[str, Slot | None]:
    """A text without its ``key:value`` conditions, and these; with an invalid value, a stray."""
    taken: dict[str, list[str]] = {}

    def take(match: re.Match[str]) -> str:
        key = match[1] or match[4]
        if not key:
            return match[0]
        value = next(g for g in (match[2], match[3], match[5], match[6]) if g)
        taken.setdefault(_KEYS[key.lower()], []).append(value)
        return " "

    rest = _FILTER.sub(take, text)
    if labelled := _LABELLED.search(rest):
        taken.setdefault("label", []).append(next(g for g in labelled.groups() if g))
        rest = f"{rest[: labelled.start()]} {rest[labelled.end() :]}"
    return " ".join(rest.split()), _filtered(taken) if taken else None


def _filtered(taken: dict[str, list[str]]) -> Slot:
    levels = [level_named(value) for value in taken.get("level", ())]
    kinds = [kind_named(value) for value in taken.get("kind", ())]
    try:
        things = tuple(map(FactKind, taken.get("thing", ())))
        actions = tuple(map(Action, taken.get("action", ())))
    except ValueError:
        return Stray("filter")
    once = {"author", "path", "level", "label"}
    if any(path.startswith("//") for path in taken.get("path", ())):
        return Stray("filter")  # an address: file:///srv
    if None in levels or None in kinds or any(len(taken[key]) > 1 for key in once & {*taken}):
        return Stray("filter")
    one = {key: values[0] for key, values in taken.items()}
    return Filters(
        author=one.get("author", ""),
        path=one.get("path", ""),
        level=next(iter(levels), None),
        kinds=tuple(dict.fromkeys(kind for kind in kinds if kind)),
        label=one.get("label", ""),
        without=tuple(taken.get("without", ())),
        things=things,
        actions=actions,
    )


def level_named(value: str) -> Level | None:
    """The level that a word in either language names."""
    if value in _LEVELS_ZH:
        return _LEVELS_ZH[value]
    return Level(value.lower()) if value.lower() in set(Level) else None


def kind_named(value: str) -> ChangeKind | None:
    """The kind that a word in either language names."""
    if value.lower() in set(ChangeKind):
        return ChangeKind(value.lower())
    tags = chinese(value)[0][1] if not value.isascii() else english([value.lower()], 0)[0]
    return next((ChangeKind(tag[5:]) for tag in sorted(tags) if tag.startswith("kind:")), None)
