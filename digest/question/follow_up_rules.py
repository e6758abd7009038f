"""Readings of follow-ups to an answer, and of short questions about the bot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter

from digest.core.enums import ChangeKind, Language
from digest.core.facts import FactKind
from digest.question.asked import Asked, Weighed, rule
from digest.question.change_rules import ABOUT, claim_of, switched_to, wanted
from digest.question.intent import (
    OF_NAME,
    SUBJECT,
    Affected,
    Again,
    Author,
    Changed,
    Help,
    Nth,
    PrivacyOf,
    Released,
    Retell,
    Risky,
    ShowDiff,
    Status,
    Top,
    Touched,
    Why,
)
from digest.question.lexicon import PHRASES
from digest.question.list_rules import conditions_of, is_topic_alone
from digest.question.questions import QUESTIONS
from digest.question.range_rules import ONE, same_as
from digest.question.slot_values import Path, Release, Symbol, Token
from digest.question.thing_cues import stated_in

_MANY = frozenset({"list", "release", "row"})
_LISTED = _MANY | {"change"}
"""What a conversation is about: several things, or a list and perhaps one change of it."""


@rule
def short(asked: Asked) -> Iterator[Weighed]:
    """Complete questions about the bot, and follow-ups to an answer."""
    for intent, declared in QUESTIONS.items():
        cue = declared.cue if "nth" not in asked.values else ""  # "the diff of the last one"
        if cue and asked.has(cue) and asked.only(cue, "again", "join", *declared.beside):
            yield Weighed(6.0 if intent in {Help, PrivacyOf, Status} else 5.0, intent())
    alone = not (asked.left or any(map(_slot, asked.tokens)))
    for tag, retell in _RETOLD.items():
        beside = _BESIDE_LANGUAGE if retell.language else _BESIDE_LENGTH
        if asked.has(tag) and asked.only(tag, *beside):
            yield Weighed(5.0, Nth(place=0) if retell.longer and asked.follows == "row" else retell)
        elif asked.has(tag) and asked.follows and retell.language and alone:
            yield Weighed(3.5, retell)
    if asked.follows and asked.says("sum_up") and asked.only("digest", *_BESIDE_LENGTH):
        yield Weighed(8.5, Retell(longer=False))
    if asked.follows in ONE and asked.has("lines") and asked.only(*_BESIDE_LINES):
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
_BESIDE_LINES = ("lines", "it", "ask", "again", "aux")
_BESIDE_LENGTH = ("explain", "it", "digest", "aux", "todo")


@rule
def of_the_last(asked: Asked) -> Iterator[Weighed]:
    """Questions about the change or name under discussion, however short."""
    slots = any(token.slot is not None for token in asked.tokens)
    several = asked.says("those")
    spoken = (asked.has("it") and not several) or asked.says("it_at_the_end")
    its = spoken or asked.follows in ONE
    if not slots and not asked.left and stated_in(asked.tokens):
        return  # "uv check", with words that are noise elsewhere
    dated = asked.spans or asked.references or asked.slots(Release)
    if asked.follows and asked.says("reaches_asker") and not dated:
        names = [slot.name for slot in asked.slots(Symbol)] if asked.follows in ONE else []
        yield Weighed(7.5, ShowDiff(part=names[0]) if names else Affected(its=True))
    came = "added" if asked.says("when_it_came") else ""
    claim = claim_of(asked) or wanted(asked) or came
    if asked.follows == "name" and _is_of_name(asked):
        of_name = Touched(name="", claim=claim)
        yield Weighed(7.4, ShowDiff(part=SUBJECT) if asked.says("before") else of_name)
    elif asked.follows in ONE and _is_of_its_name(asked):
        kinds = tuple(map(FactKind, asked.values.get("thing", ())))
        yield Weighed(8.7, Touched(name="", claim=claim, things=kinds))
    it = asked.has("it") or asked.text.startswith(("进", "已经进", "合进"))
    tagged = asked.follows and asked.slots(Release) and not asked.spans
    if (it or several) and tagged and asked.only_words(*_SHIPPED):
        several = several or asked.follows not in ONE
        yield Weighed(7.2, Again(shipped=True) if several else Released())  # "is it in 3.14"
    said = ("change",) if several or spoken or asked.follows == "release" else ()
    if asked.follows in _MANY and asked.has("count") and asked.only(*_COUNTING, *said):
        yield Weighed(4.6, Retell())  # "how many is that"
    if slots or asked.has("other", "most") or asked.commands:
        return
    of_one = asked.follows in ONE or (asked.follows and spoken)
    asks = asked.says("why_done") or wanted(asked) == "instead"
    asks = asks and "nth" not in asked.values  # "what replaces the first one"
    if (of_one and len(asked.left) < 2) or (asked.follows and asks and not asked.left):
        yield from (Weighed(6.0, one) for phrase, one in _OF_ONE.items() if asked.says(phrase))
    if its and asked.left in _PARTS and asked.only_words(*_ITS, "among"):
        weight = 6.0 if asked.follows == "change" else 4.6
        yield Weighed(weight, ShowDiff(part=asked.left[0]))  # "is there a test for it"
    sized = asked.has("count", "per:file") and not asked.has("who", "contributors")
    of_files = asked.follows == "change" and asked.has("per:file", "kind:fix")
    if sized and its and (asked.has("it") or of_files or asked.says("lines")):
        yield Weighed(6.0 if of_files else 4.6, Nth(place=0))  # "how many lines did it touch"
    if asked.has("count") and not asked.has("default"):
        return
    harms = asked.has("risk", "remedy") or (its and asked.has("kind:breaking"))
    bare = asked.only(*_ITS) or (asked.is_writing and asked.only("kind:fix", *_ITS))
    harms = harms and "nth" not in asked.values  # "does the first one hurt performance"
    if harms and (bare or (its and len(asked.left) < 3)) and not asked.has("who", "upgrade"):
        of_one = asked.follows in ONE and asked.has("it")
        yield Weighed(5.6 if of_one else 4.5, Risky())  # "does it affect windows users"
    elif not bare:
        return
    elif asked.is_writing and asked.has("wrote", "agent", "change", "kind:breaking", *_DONE):
        if (its or asked.has("wrote")) and not (asked.has("keep") and asked.has("releases")):
            one = asked.follows in ONE or (spoken and asked.has("wrote"))
            yield Weighed(5.6 if one else 4.5, Author())
    elif its and asked.has("future") and asked.has("act:removed", "kind:deprecations"):
        yield Weighed(7.2, Nth(place=0))  # "when will it be removed"
    elif asked.says("when_released") and (its or asked.follows):
        yield Weighed(7.2 if asked.follows and its else 4.7, Released())
    elif its and (asked.has("why") or asked.says("in_which_change")):
        yield Weighed(4.6, Nth(place=0))  # "why was it removed", "in which PR"
    elif not spoken and asked.says("which_several"):
        return  # "which defaults changed"
    elif asked.follows in ONE and asked.has("state", *_ACTS) and asked.has("ask", "aux", "it"):
        yield Weighed(4.6, Nth(place=0))  # "is it still there"


def _is_of_name(asked: Asked) -> bool:
    """Whether it asks for the state of the name under discussion, or when it was added."""
    if any(token.slot is not None for token in asked.tokens):
        return False
    if not asked.only(*_ITS, *_THINGS, "instead", "count"):
        return False
    if asked.says("before") or (claim_of(asked) and not asked.has("who")):
        return True  # "is it gone already"
    if wanted(asked) in {"removed", "instead"} and not asked.has("why", "who"):
        return True  # "when was it removed", "what should I use instead"
    if asked.has("state", "default", "history") and not asked.says("when_released"):
        return True
    if asked.says("when_it_came"):
        return True  # "when did it come"
    return (asked.has("act:added") or "有的" in asked.text) and not asked.has("why")


def _is_of_its_name(asked: Asked) -> bool:
    """Whether it asks for the one flag or variable of the current change: *and its default*."""
    if any(token.slot is not None for token in asked.tokens) or asked.has("why", "who"):
        return False
    claim = claim_of(asked) or wanted(asked)
    several = asked.says("those") and claim != "instead"
    several = several or asked.says("which_of_those") or asked.has("among")
    counts = ("count",) if asked.has("default") else ()  # 默认值是多少
    if several or not asked.only(*_ITS, *_THINGS, *counts, "instead", "they"):
        return False
    if claim == "instead":
        return True
    named = asked.has(*_THINGS) and claim
    return bool(named or asked.has("default")) and not asked.says("which_several")


_THINGS = tuple(f"thing:{kind}" for kind in ("flag", "environment", "config", "metric", "route"))

_SHIPPED = ("it", "aux", "prep", "history", "releases")
_COUNTING = ("count", "prep", "it", "aux", "ask", "among", "entry")
_PARTS = [(part,) for part in ("test", "tests", "doc", "docs", "测试", "文档")]
_ACTS = (
    *("act:added", "act:removed", "act:renamed", "kind:deprecations", "kind:reverts", "default"),
    *("history", "happened"),
)
_DONE = ("kind:fix", *_ACTS)
_ITS = (
    *("it", "aux", "ask", "join", "prep", "who", "me", "wrote", "agent", "change", "releases"),
    *("again", "contributors", "risk", "remedy", "graded", "kind:security", "kind:breaking"),
    *("state", "why", "future", *_ACTS),
)
"""Tags of words in a question about the change under discussion."""
_OF_ONE = {
    "replaced": Nth(place=0),
    "ported": Released(),
    "by_whom": Author(),
    "why_done": Nth(place=0),
}
"""Questions about one change or name, by their phrases."""


@rule
def of_the_current(asked: Asked) -> Iterator[Weighed]:
    """What the explanation of the current change tells: *is it a fix*, *who reverted it*."""
    if asked.follows in {"change", "name", "row"} and asked.says("use_of_it"):
        of_name = asked.follows == "name"
        yield Weighed(7.6, Touched(name="") if of_name else Nth(place=0))
    things = tuple(FactKind(one) for one in asked.values.get("thing", ()))
    if asked.follows in {"change", "row"} and things and asked.says("its_thing"):
        yield Weighed(7.6, Touched(name="", things=things))
    named = asked.left or any(token.slot is not None for token in asked.tokens)
    if asked.follows == "change" and things and asked.says("those") and not named:
        yield Weighed(7.6, Nth(place=0))  # "those variables, which ones are gone"
    if asked.follows not in {"change", "row"} or named or asked.says("those"):
        return
    of_kind = asked.kinds and asked.says("of_which_kind")
    undone = asked.says("undone") and (asked.has("who") or asked.says("when_released"))
    its = asked.has("it") or asked.says("did_what")
    names = its and asked.has("ask") and things
    if of_kind or undone or (names and asked.has("change", "act:added", "act:removed")):
        yield Weighed(7.6, Nth(place=0))


@rule
def of_a_list(asked: Asked) -> Iterator[Weighed]:
    """Questions about one of a list, and requests to explain the current change."""
    slots = any(map(_slot, asked.tokens))
    places = [int(value) for value in asked.values.get("nth", ())]
    beside = (
        *("explain", "entry", "change", "ask", "aux", "it", "again", "join", "more", "agent"),
        *("about", "longer", "todo", "among", "prep"),
    )
    nth = [tag for tag in asked.tags if tag.startswith("nth:")]
    explains = asked.has("explain") or (asked.has("change", "agent") and asked.has("ask"))
    its = asked.has("it") or asked.says("it_at_the_end")
    if its and explains and asked.only(*_EXPLAINING):
        yield Weighed(4.6, Nth(place=0))
    elif asked.says("explain_it") and not (asked.has("other") or slots):
        yield Weighed(4.0, Nth(place=0))  # "explain it like I know nothing"
    rated = (
        *("graded", "level:high", "level:low", "who", "released", "lines", "kind:breaking"),
        *("per:file", "default", "instead", "state", "shorter", *_DONE),
    )
    of_it = next((kind for tag, kind in ABOUT.items() if asked.has(tag)), None)
    of_it = None if of_it is Why and asked.has(*_ACTS) else of_it  # "why was it reverted"
    of_it = None if of_it is Author and not asked.is_writing else of_it  # "which files did it"
    of_it = Author if of_it is None and asked.is_writing and asked.has(*_DONE) else of_it
    of_it = Released if of_it is None and asked.says("when_released") else of_it
    aspect = QUESTIONS[of_it].name if of_it else next(filter(asked.has, OF_NAME), "")
    if asked.follows in {"change", "name"} and (step := PHRASES["next_change"].match(asked.text)):
        yield Weighed(6.5, Nth(place=0, step=-1 if step["back"] or step["back_zh"] else 1))
    if asked.follows and asked.topic and asked.says("the_one_about") and not asked.spans:
        about = " ".join((asked.topic, *asked.unknown))
        yield Weighed(6.2, Nth(place=0, about=about, aspect=aspect))
    elif (
        not asked.follows and asked.only(*nth, "ask", "aux") and _LAST & {*map(_said, asked.tokens)}
    ):
        newest = Top(1, "latest")
        yield Weighed(5.0, Changed(window=asked.now.usual, top=newest, anytime=True))
    elif places and asked.only(*nth, *beside, *ABOUT, *rated, "count", "help"):
        yield Weighed(6.6 if asked.follows else 4.8, Nth(place=places[0], aspect=aspect))
    elif (
        places
        and asked.follows in _LISTED
        and not (slots or asked.left[1:])
        and (not asked.left or asked.says("placed_one") or asked.has("risk"))
    ):
        told = aspect if asked.says("when_released") or asked.has("risk") else ""
        yield Weighed(4.0, Nth(place=places[0], aspect=told))  # "when did the first one go"


_LAST = frozenset({"last change", "last pr", "last commit"})
_EXPLAINING = ("it", "explain", "change", "longer", "aux", "ask", "join", "prep", "who")
_slot = attrgetter("slot")


def _said(token: Token) -> str:
    return token.text.lower()


@rule
def again(asked: Asked) -> Iterator[Weighed]:
    """The last question for another period or topic, filtered, or counted differently."""
    if asked.has("other") or asked.references or len(asked.left) > 4:
        return
    listed = asked.follows in _LISTED
    named = "nth" in asked.values or asked.slots(Symbol)
    if _undoes(asked):
        yield Weighed(5.0, Again(back=True))
    elif same := same_as(asked):
        yield Weighed(5.0, Again(same=same, window=asked.span, kinds=asked.kinds))
    elif (asked.has("me") and not asked.says("by_whom")) or asked.commands:
        return
    elif (
        listed
        and asked.has("among")
        and not asked.left
        and asked.only("among", "ask", *_BESIDE_LANGUAGE)
    ):
        yield Weighed(5.0, Again(back=True))  # "what's in it"
    elif listed and switched_to(asked) and not (named or asked.left[int(asked.has("ask")) :]):
        yield Weighed(7.5, Again(switched=switched_to(asked)))
    elif listed and asked.says("which_in_state") and asked.has("state") and asked.only(*_STATED):
        state = next(token.text for token in asked.tokens if "state" in token.tags)
        yield Weighed(5.0, Again(topic=state, only=True))  # "which of them are experimental"
    elif asked.without and asked.only("again", "change", "only"):
        yield Weighed(5.0, Again(without=asked.without))
    elif _narrows_last(asked):
        level = None if asked.kinds and "level" not in asked.values else asked.level
        yield Weighed(
            5.0, Again(level=level, kinds=() if level else asked.kinds, undone=_undone(asked))
        )
    else:
        yield from _turned(asked)


_STATED = ("state", "ask", "aux", "among", "it", "again", "history")


def _undone(asked: Asked) -> bool:
    """Whether it asks what of a list was reverted: *were any of them reverted*."""
    its = asked.says("theirs_undone") or (asked.says("undone") and asked.has("among", "it"))
    return its and asked.kinds == (ChangeKind.REVERTS,)


def _undoes(asked: Asked) -> bool:
    """Whether it asks for the previous list, or again for the whole list."""
    undone = asked.has("back") or (asked.follows and asked.has("every"))
    undone = undone or (asked.has("filter") and asked.has(*_UNDO))
    beside = ("back", "it", "again", "more", "among", "entry", "filter", *_UNDO)
    return bool(undone) and asked.only(*beside)


def _narrows(asked: Asked) -> bool:
    """Whether it limits the last list: *only ROCm*, *of these*."""
    of_those = asked.follows in _LISTED and asked.says("which_are_about")
    return asked.has("among") or "only" in asked.opening or bool(of_those)


def _corrects(asked: Asked) -> bool:
    return asked.corrects and not asked.has("change", "digest", "happened")


def _goes_on(asked: Asked) -> bool:
    """Whether its form shows that it continues from the last answer."""
    opens = asked.opening & {"again", "only"} and "about" not in asked.opening
    ones = asked.text.endswith("呢") or (asked.follows in _LISTED and asked.text.endswith(" ones"))
    return bool(opens) or asked.has("among") or ones or _corrects(asked)


def _turned(asked: Asked) -> Iterator[Weighed]:
    """The last question with other slots."""
    again = conditions_of(asked, goes_on=_goes_on(asked), narrows=_narrows(asked))
    exists = asked.follows in _MANY and asked.says("is_there_any") and bool(again.topic)
    exists = exists and not (asked.spans or asked.has("change", "happened"))
    goes_on = _goes_on(asked) or "again" in asked.opening
    exists = exists or bool(asked.follows and goes_on and asked.kinds and again.topic)
    slots = asked.slots(Release) or asked.level or (asked.kinds and not exists)
    named = () if is_topic_alone(asked) else ("thing:", "act:")
    of_names = [tag for tag in asked.tags if tag.startswith(named)]
    if of_names and not (asked.follows and goes_on):
        return
    did = (asked.is_writing and asked.only(*_WHO_DID)) or asked.says("by_whom")
    if did and asked.follows in _MANY:
        yield Weighed(4.6, Again(people=True))  # "who bumped them"
    words = asked.only_words(*_BESIDE_AGAIN, *of_names, *(f"kind:{k}" for k in asked.kinds))
    if slots or not words or again in (Again(), Again(without=asked.without)):
        return
    counted = not (again.topic or again.path) and any(getattr(again, name) for name in _COUNTED)
    its = asked.has("it") and not (asked.has("most") or asked.says("those"))
    its = bool(asked.spans) or (its and asked.follows in ONE)
    its = its or (asked.has("change") and "latest" in str(asked.top))  # "the latest 5 commits"
    alone = _is_bare(asked) or (asked.follows and not its)
    only = _narrows(asked)
    turns = "again" in asked.opening or asked.has("about") or only or _corrects(asked)
    if exists:
        yield Weighed(4.5, replace(again, kinds=asked.kinds))
    elif again.window is not None and turns and not again.topic:
        yield Weighed(5.0, again)
    elif (_goes_on(asked) and not asked.has("about")) or (counted and alone):
        yield Weighed(4.5, again)
    elif asked.follows in _MANY and again == Again(author=again.author):
        yield Weighed(4.5, again)  # "what did Ada change"
    elif (only or "again" in asked.opening) and any(getattr(again, name) for name in _NAMED):
        yield Weighed(4.5 if asked.follows else 1.4, again)  # "what about ssr", "only ROCm"


_WHO_DID = (
    "kind:fix",
    "kind:breaking",
    "who",
    "aux",
    "it",
    "bump",
    "agent",
    "change",
    "wrote",
    *_ACTS,
)
_COUNTED, _NAMED = ("per", "people", "files", "folders", "top"), ("topic", "author", "path", "top")


_UNDO = ("act:removed", "except", "kind:reverts", "todo", "every")
"""Tags of words that remove a filter."""


_BESIDE_AGAIN = (
    *("again", "about", "among", "ask", "prep", "it", "change", "join", "aux", "by", "count"),
    *("only", "per:day", "per:week", "per:month", "per:author", "per:file", "per:folder"),
    *("contributors", "wrote", "agent", "most", "explain", "who"),
)


def _is_bare(asked: Asked) -> bool:
    """Whether it only asks for a way of counting."""
    return not asked.has("change", "most", "ask", "who", "contributors") and not asked.spans


def _narrows_last(asked: Asked) -> bool:
    """Whether it filters the last list by level or kind: *only high*, *and security?*."""
    named = any(isinstance(token.slot, Path | Release) for token in asked.tokens)
    if asked.spans or asked.left or asked.author or named or asked.things:
        return False
    if not (asked.level or asked.kinds) or asked.has("happened", "upgrade"):
        return False
    bare = [tag for tag in asked.tags if tag.startswith(("level:", "kind:"))]  # "security?"
    some = asked.follows in _LISTED and (asked.says("is_there_any") or asked.only(*bare))
    some = some or (asked.follows in _LISTED and "again" in asked.opening)
    which = asked.follows == "release" or (asked.follows and asked.says("which_of_those")) or some
    return bool((asked.has("only") and not asked.has("ask")) or _goes_on(asked) or which)
