"""Readings of questions about one change or name, about the bot, and of follow-ups."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter

from digest.core.enums import ChangeKind, Language
from digest.question.asked import Asked, Weighed, rule
from digest.question.intent import (
    Again,
    Author,
    Explain,
    Help,
    Nth,
    OfCurrent,
    PrivacyOf,
    Released,
    Retell,
    Reviewers,
    Risky,
    Search,
    ShowDiff,
    Status,
    Touched,
    Why,
)
from digest.question.questions import QUESTIONS
from digest.question.slot_values import Path, Quote, Release, Step, Symbol, stated_in


@rule
def about_one(asked: Asked) -> Iterator[Weighed]:
    """A question that names one change explains it at least."""
    first = next((t for t in asked.tokens if not t.tags & {"noise", "greet"}), None)
    if first is None or (asked.has("todo") and not asked.has("ask")):
        return
    if first.slot is None and first.text.lower() in _DOING:
        return
    if len(asked.references) == 2 and not asked.has("other", "search"):
        for weight, reference in zip((1.9, 1.5), asked.references, strict=True):
            yield Weighed(weight, Explain(reference=reference))
    if len(asked.references) != 1:
        return
    numbers = any(word.isdecimal() for word in asked.words)
    if asked.spans or numbers or asked.has("other", "search"):
        return
    if any(t.text.lower().startswith(("mention", "refer")) for t in asked.tokens):
        yield Weighed(6.0, Search(terms=(str(asked.references[0]).removeprefix("issue "),)))
        return
    (reference,) = asked.references
    tag = next((tag for tag in _ABOUT if tag != "lines" and asked.has(tag)), "")
    if tag == "wrote" and asked.has("explain") and asked.is_writing:
        tag = ""  # two questions: what does it do, who wrote it
    if tag == "why" and asked.has("act:removed", "act:added", "act:renamed", "kind:reverts"):
        tag = ""  # "why was #1 reverted" is told by its message, not by its grade
    if asked.has("again") and not tag and asked.only_words("again"):
        yield Weighed(7.0, Again(reference=reference))
        return
    named = tag == "wrote" and not asked.is_writing  # "what did #1 change"
    if tag == "diff" or ((not tag or named) and asked.slots(Path)):
        yield Weighed(6.0, ShowDiff(reference=reference, part=_part(asked)))
    elif named:
        yield Weighed(6.0, Explain(reference=reference))
    else:
        yield Weighed(6.0, _ABOUT.get(tag, Explain)(reference=reference))


_DOING = frozenset({"revert", "merge", "close", "合并", "关闭", "回滚", "批准", "撤销", "删除"})
"""Words that do not begin a question about a change, unless it asks for an action."""


_ABOUT: dict[str, type[OfCurrent]] = {
    "diff": ShowDiff,
    "lines": ShowDiff,
    "why": Why,
    "review": Reviewers,
    "wrote": Author,
    "releases": Released,
    "risk": Risky,
    "kind:breaking": Risky,
    "remedy": Risky,
}


def _part(asked: Asked) -> str:
    """The part of a change's lines that is asked for: a path, quoted text, or words."""
    paths = asked.slots(Path)
    return paths[0].path if paths else asked.topic


@rule
def diff(asked: Asked) -> Iterator[Weighed]:
    """The lines of a part of the current change."""
    part = _part(asked)
    if not asked.has("diff") or asked.references or asked.spans or not part or len(asked.left) > 4:
        return
    if not asked.has("other", "me", "who", "ask") and not asked.commands:
        yield Weighed(3.0, ShowDiff(part=part))


@rule
def of_it(asked: Asked) -> Iterator[Weighed]:
    """What the current change does somewhere: *what did it change in the tests*."""
    part, its = _part(asked), asked.has("it") and asked.has("ask") and asked.has("change")
    others = asked.spans or asked.references or asked.kinds or asked.has("other", "me", "who")
    if its and part and not others and len(asked.left) < 3:
        yield Weighed(4.4, ShowDiff(part=part))


# --- Names of the code ---------------------------------------------------------------------------


@rule
def touched(asked: Asked) -> Iterator[Weighed]:
    """What happened to a flag, a variable, a class."""
    name, sure = _symbol(asked)
    if not name or asked.references or asked.has("other", "me", "search", "mention"):
        return
    if asked.commands or (asked.things and _ABOUT_NAMES.search(asked.text)):
        return  # "new variables related to UV_PUBLISH"
    cues = asked.has("history", "happened", "explain", "default", "why", "state") or asked.actions
    told = cues or asked.has("kind:deprecations", "bump")
    if (not sure and not cues) or ("=" in name and asked.has("explain")):
        return
    inside = any(token.text.lower() in {"in", "with"} for token in asked.tokens)
    if not sure and inside and asked.has("happened"):
        return
    others = sum(1 for word in asked.words if word not in name.split() and word not in name)
    weight = (2.5 if sure else 0.5) + (3.5 if told else 0) - 1.6 * others
    weight += 0.2 if asked.spans else 0
    yield Weighed(weight, Touched(name=name, window=asked.span))


_ABOUT_NAMES = re.compile(
    r"\b(?:related|about|starting|beginning|prefix)\b|相关|有关|开头|前缀", re.IGNORECASE
)


def _symbol(asked: Asked) -> tuple[str, bool]:
    """The name of code that is asked about, and whether it is certainly one."""
    symbols = asked.slots(Symbol)
    if symbols:
        best = next((one for one in symbols if one.sure), symbols[0])
        return best.name, best.sure
    for token, after in itertools.pairwise(asked.tokens):
        typed = any(tag.startswith("thing:") for tag in token.tags)
        if typed and isinstance(after.slot, Quote) and asked.has("explain", "happened"):
            return after.slot.text, True
    if name := _in_state(asked):
        return name, asked.has("state") or " " in name
    of_one = not asked.kinds or asked.kinds == (ChangeKind.DEPENDENCIES,)
    if asked.spans or not of_one or asked.has("count", "who", "compare", "again"):
        return "", False
    if asked.has("history") and asked.kinds and len(asked.words) == 1:
        return asked.words[0], True
    return _versioned(asked), True


def _in_state(asked: Asked) -> str:
    """The words whose state is asked for: *is native histograms still experimental*."""
    released = any(isinstance(token.slot, Release) for token in asked.tokens)
    others = asked.has("change", "count", "it", "who", "nth:1")
    if asked.spans or released or asked.things or others:
        return ""
    asks = asked.has("aux", "history", "why") or asked.text.endswith(("吗", "了没", "没有"))
    return stated_in(asked.tokens) if asks else ""


def _versioned(asked: Asked) -> str:
    """The one unknown word beside a version: *which go version do they test with*."""
    if not asked.has("bump"):
        return ""
    places = [n for n in range(len(asked.tokens)) if asked.is_left(n)]
    whole = (
        len(places) < 4 and places == list(range(places[0], places[-1] + 1)) if places else False
    )
    if whole and not (len(places) > 1 and (asked.kinds or asked.has("change"))):
        return asked.topic
    plain = [t for t in asked.tokens if "noise" not in t.tags and "aux" not in t.tags]
    beside = {
        one.text
        for before, after in itertools.pairwise(plain)
        for one, other in ((before, after), (after, before))
        if "bump" in other.tags and one.text in asked.words
    }
    return beside.pop() if len(beside) == 1 else ""


@rule
def short(asked: Asked) -> Iterator[Weighed]:
    """Complete questions about the bot, and follow-ups to an answer."""
    for intent, declared in QUESTIONS.items():
        if declared.cue and asked.has(declared.cue) and asked.only(declared.cue, *declared.beside):
            yield Weighed(6.0 if intent in {Help, PrivacyOf, Status} else 5.0, intent())
    for tag, retell in _RETOLD.items():
        beside = _BESIDE_LANGUAGE if retell.language else _BESIDE_LENGTH
        if asked.has(tag) and asked.only(tag, *beside):
            yield Weighed(5.0, retell)
        elif asked.has(tag) and asked.follows and retell.language and not asked.left:
            yield Weighed(0.0 if any(map(_slot, asked.tokens)) else 3.5, retell)
    if (
        asked.follows == "change"
        and asked.has("lines")
        and asked.only("lines", "it", "ask", "again", "aux")
    ):
        yield Weighed(5.0, ShowDiff())
    if asked.text == "?":
        yield Weighed(5.0, Help())


_RETOLD = {
    "lang:zh": Retell(language=Language.ZH),
    "lang:en": Retell(language=Language.EN),
    "shorter": Retell(longer=False),
    "longer": Retell(longer=True),
}

_BESIDE_LANGUAGE = ("explain", "it", "again", "prep", "change", "digest", "aux")
_BESIDE_LENGTH = ("explain", "it", "digest", "aux", "todo")


@rule
def of_the_last(asked: Asked) -> Iterator[Weighed]:
    """Questions about the change or name under discussion, however short."""
    slots = any(token.slot is not None for token in asked.tokens)
    its = asked.has("it") or asked.follows == "change"
    if slots or asked.has("other", "most") or asked.commands:
        return
    if its and asked.left in _PARTS and asked.only_words(*_ITS):
        yield Weighed(4.6, ShowDiff(part=asked.left[0]))  # "is there a test for it"
    sized = asked.has("count", "per:file") and not asked.has("who", "contributors")
    if sized and its and (asked.has("it") or _LINES.search(asked.text)):
        yield Weighed(4.6, Nth(place=0))  # "how many lines did it touch"
    if asked.has("count") and not asked.has("default"):
        return
    harms = asked.has("risk", "remedy") or (its and asked.has("kind:breaking"))
    bare = asked.only(*_ITS)
    if harms and (bare or (its and len(asked.left) < 3)) and not asked.has("who", "upgrade"):
        yield Weighed(4.5, Risky())  # "does it affect windows users"
    elif not bare:
        return
    elif asked.is_writing and asked.has("wrote", "agent", "change", *_ACTS):
        if its or asked.has("wrote"):
            yield Weighed(5.6 if asked.follows == "change" else 4.5, Author())
    elif _WHEN.search(asked.text) and its:
        yield Weighed(7.2 if asked.follows else 4.7, Released())
    elif its and (asked.has("why") or _WHICH.search(asked.text)):
        yield Weighed(4.6, Nth(place=0))  # "why was it removed", "in which PR"
    elif (
        asked.follows == "change"
        and asked.has("state", "history", "default", *_ACTS)
        and asked.has("ask", "aux", "it")
    ):
        yield Weighed(4.6, Retell())  # "is it still there"


_PARTS = [(part,) for part in ("test", "tests", "docs", "测试", "文档")]
_ACTS = (
    *("act:added", "act:removed", "act:renamed", "kind:deprecations", "kind:reverts", "default"),
    *("history", "happened"),
)
_ITS = (
    *("it", "aux", "ask", "join", "prep", "who", "me", "wrote", "agent", "change", "releases"),
    *("again", "contributors", "risk", "remedy", "graded", "kind:security", "kind:breaking"),
    *("state", "why", *_ACTS),
)
"""Tags of words in a question about the change under discussion."""
_LINES = re.compile(r"\blines\b|行", re.IGNORECASE)
_WHEN = re.compile(
    r"\b(?:when|(?:which|what|in a|any) (?:release|version)|released|shipped|out yet)\b"
    r"|什么时候|啥时候|何时|哪天|哪个版本|哪一版|发布了|发版了|发了",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"\b(?:which|what) (?:pr|commit|change|pull request)\b|哪个 ?(?:pr|提交|改动|变更)",
    re.IGNORECASE,
)


@rule
def of_a_list(asked: Asked) -> Iterator[Weighed]:
    """Questions about one of a list, and requests to explain the current change."""
    its = ("it", "aux", "ask", "join", "prep", "who")
    places = [int(value) for value in asked.values.get("nth", ())]
    beside = (
        *("explain", "entry", "change", "ask", "aux", "it", "again", "join", "more", "agent"),
        *("about", "longer", "todo", "among", "prep"),
    )
    nth = [tag for tag in asked.tags if tag.startswith("nth:")]
    if (
        asked.has("it")
        and asked.only("it", "explain", "change", "longer", *its)
        and (asked.has("explain") or (asked.has("change", "agent") and asked.has("ask")))
    ):
        yield Weighed(4.6, Nth(place=0))
    elif _EXPLAIN_IT.match(asked.text) and not (
        asked.has("other") or any(map(_slot, asked.tokens))
    ):
        yield Weighed(4.0, Nth(place=0))  # "explain it like I know nothing"
    rated = (
        "graded",
        "level:high",
        "level:low",
        "who",
        "released",
        "lines",
        *_ACTS,
        "kind:breaking",
    )
    if places and asked.only(*nth, *beside, *_ABOUT, *rated, "count"):
        of_it = next((kind for tag, kind in _ABOUT.items() if asked.has(tag)), None)
        of_it = None if of_it is Why and asked.has(*_ACTS) else of_it  # "why was it reverted"
        aspect = QUESTIONS[of_it].name if of_it else ""
        yield Weighed(4.8, Nth(place=places[0], aspect=aspect))


_EXPLAIN_IT = re.compile(r"explain (?:it|this) |解释一?下?这个", re.IGNORECASE)

_slot = attrgetter("slot")


@rule
def again(asked: Asked) -> Iterator[Weighed]:
    """The last question for another time or topic, filtered, or counted differently."""
    if asked.has("other") or asked.references or len(asked.left) > 4:
        return
    undone = asked.has("back") or (asked.follows and asked.has("every"))
    undone = undone or (asked.has("filter") and asked.has(*_UNDO))
    if undone and asked.only("back", "it", "again", "more", "among", "entry", "filter", *_UNDO):
        yield Weighed(5.0, Again(back=True))
        return
    if same := _same(asked):
        kind = asked.kinds[0] if asked.kinds else None
        yield Weighed(5.0, Again(same=same, window=asked.span, kind=kind))
        return
    if asked.has("me") or asked.commands:
        return
    first = next(
        (t for t in asked.tokens if not t.tags & {"noise", "greet"} or t.tags & {"only"}), None
    )
    opens = first is not None and "again" in first.tags and "about" not in first.tags
    opens_about = first is not None and "again" in first.tags and not opens
    corrects = asked.corrects and not asked.has("change", "digest", "happened")
    only = asked.has("among") or (first is not None and "only" in first.tags)
    goes_on = opens or asked.has("among") or asked.text.endswith("呢") or corrects
    if steps := asked.slots(Step):
        (step, *_), topic = steps, asked.topic
        if asked.only_words("again", "only", "ask", "change", "happened", "aux", "prep", "digest"):
            beside = Again(later=step.unit) if step.later else Again(earlier=step.unit)
            yield Weighed(5.0, replace(beside, topic=topic))
        return
    if asked.without and asked.only("again", "change", "only"):
        yield Weighed(5.0, Again(without=asked.without))
        return
    if _narrows_last(asked, goes_on=goes_on):
        level = None if asked.kinds and "level" not in asked.values else asked.level
        kind = asked.kinds[0] if asked.kinds and not level else None
        yield Weighed(5.0, Again(level=level, kind=kind))
        return
    paths = asked.slots(Path)
    again = Again(
        window=asked.span,
        topic=asked.topic,
        author=asked.author,
        path=asked.filters.path or (paths[0].path if paths else ""),
        daily=asked.has("per:day"),
        people=asked.has("per:author")
        or (
            (goes_on or asked.follows == "list") and (asked.has("contributors") or asked.is_writing)
        ),
        files=asked.counts("per:file"),
        folders=asked.counts("per:folder"),
        top=asked.top,
        only=only and bool(asked.topic),
    )
    counted = again.daily or again.people or again.files or again.folders or again.top
    slots = asked.slots(Release) or asked.kinds or asked.level or asked.things
    if slots or asked.without or not asked.only_words(*_BESIDE_AGAIN) or again == Again():
        return
    turns = asked.has("again", "about") or only or corrects
    if again.window is not None and turns and not again.topic:
        yield Weighed(5.0, again)
    elif (goes_on and not asked.has("about")) or (
        counted
        and not again.topic
        and (_is_bare(asked) or (asked.follows and not asked.spans and not asked.has("it")))
    ):
        yield Weighed(4.5, again)
    elif (opens_about or only) and (again.topic or again.author or again.path or again.top):
        yield Weighed(4.5 if asked.follows else 1.4, again)  # "what about ssr", "only ROCm"


_UNDO = ("act:removed", "except", "kind:reverts", "todo", "every")
"""Tags of words that take a filter back."""


def _same(asked: Asked) -> str:
    """What the question shares with the current change: *what else did he do*, *in that file*."""
    slots = any(isinstance(token.slot, Path | Release) for token in asked.tokens)
    named = slots or asked.left or asked.author
    beside = ("change", "agent", "again", "by")
    if named or not (asked.has(*beside) or asked.kinds):
        return ""
    if _THAT_FILE.search(asked.text):
        return "file"
    kinds = (f"kind:{kind}" for kind in asked.kinds)
    return "author" if asked.has("they") and asked.only_words(*_BESIDE_THEM, *kinds) else ""


_THAT_FILE = re.compile(r"\b(?:that|this|the same) file\b|(?:这个|那个|同一个?)文件", re.IGNORECASE)

_BESIDE_THEM = (
    *("they", "me", "agent", "change", "ask", "aux", "again", "join", "happened", "count"),
    *("greet", "prep", "only", "by"),
)

_BESIDE_AGAIN = (
    *("again", "about", "among", "ask", "prep", "it", "change", "join", "aux", "by", "count"),
    *(
        "only",
        "per:day",
        "per:author",
        "per:file",
        "per:folder",
        "contributors",
        "wrote",
        "agent",
        "most",
    ),
    *("explain", "who"),
)


def _is_bare(asked: Asked) -> bool:
    """Whether it asks for nothing but a way of counting."""
    return not asked.has("change", "most", "ask", "who", "contributors") and not asked.spans


def _narrows_last(asked: Asked, *, goes_on: bool) -> bool:
    """Whether it filters the last list by level or kind: *only high*, *and security?*."""
    paths = asked.slots(Path)
    if asked.spans or asked.left or asked.author or paths or asked.things:
        return False
    if not (asked.level or asked.kinds) or asked.has("happened", "upgrade"):
        return False
    return (asked.has("only") and not asked.has("ask")) or goes_on
