"""Readings of questions about one change or name."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from digest.core.enums import ChangeKind
from digest.core.facts import Action
from digest.core.patterns import lazy
from digest.core.reference import Reference
from digest.core.release import LATEST
from digest.question.asked import Asked, Weighed, rule
from digest.question.commit_range import Refs
from digest.question.intent import (
    Again,
    Author,
    Changed,
    DigestOf,
    Explain,
    Intent,
    OfCurrent,
    PathDiff,
    Released,
    Reviewers,
    Risky,
    Search,
    ShowDiff,
    Touched,
    Why,
)
from digest.question.lexicon import PHRASES
from digest.question.slot_values import Path, Platform, Quote, Release, Symbol, name_of
from digest.question.thing_cues import is_thing, stated_in


@rule
def about_one(asked: Asked) -> Iterator[Weighed]:
    """The reading of a question that names one change; by default it is explained."""
    first = next((t for t in asked.tokens if not t.tags & {"noise", "greet"}), None)
    if first is None or (asked.has("todo") and not asked.has("ask", "aux", "risk")):
        return
    if first.slot is None and first.text.lower() in _DOING:
        return
    if marked := only_marked(asked):
        yield Weighed(1.9, Explain(reference=marked))
    if len(asked.references) == 2 and not asked.has("other", "search"):
        for weight, reference in zip((1.9, 1.5), asked.references, strict=True):
            yield Weighed(weight, Explain(reference=reference))
    if len(asked.references) != 1:
        return
    if asked.spans or asked.has("other", "search"):
        return
    if any(word.isdecimal() for word in asked.words):
        return
    if any(t.text.lower().startswith(("mention", "refer")) for t in asked.tokens):
        yield Weighed(6.0, Search(terms=(str(asked.references[0]).removeprefix("issue "),)))
        return
    (reference,) = asked.references
    tag = next((tag for tag in ABOUT if tag != "lines" and asked.has(tag)), "")
    if tag == "kind:breaking" and asked.says("was_broken"):
        tag = ""  # what it fixed
    if tag == "wrote" and asked.has("explain") and asked.is_writing:
        tag = ""  # two questions: what does it do, who wrote it
    deeds = ("act:removed", "act:added", "act:renamed", "kind:reverts")
    if tag == "why" and (asked.has(*deeds) or asked.says("reason_asked")):
        tag = ""  # "why was #1 reverted" is answered by its message, not by its grade
    if asked.has("again") and not tag and asked.only_words("again"):
        yield Weighed(7.0, Again(reference=reference))
        return
    if asked.says("which_release"):
        tag = "releases"
    if not tag and asked.has("who") and asked.has("agent", "kind:fix"):
        yield Weighed(6.2, Author(reference=reference))  # "who else worked on #1", "who fixed #1"
    named = tag == "wrote" and not asked.is_writing  # "what did #1 change"
    if tag == "diff" or ((not tag or named) and asked.slots(Path)):
        yield Weighed(6.0, ShowDiff(reference=reference, part=part_of(asked)))
    elif named:
        yield Weighed(6.0, Explain(reference=reference))
    else:
        yield Weighed(6.0, ABOUT.get(tag, Explain)(reference=reference))


def only_marked(asked: Asked) -> Reference | None:
    """The one change with a "#" among plain numbers: *in #1 what do 8192 and 16384 mean*."""
    marked = [one for one in asked.references if f"{one.sign}{one.number}" in asked.text]
    return marked[0] if len(marked) == 1 < len(asked.references) else None


_DOING = frozenset({"revert", "merge", "close", "合并", "关闭", "回滚", "批准", "撤销", "删除"})
"""Words that do not begin a question about a change, unless the question requests an action."""

ABOUT: dict[str, type[OfCurrent]] = {
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


def part_of(asked: Asked) -> str:
    """The requested part of a change's lines: a path, quoted text, or words."""
    paths = asked.slots(Path)
    return paths[0].path if paths else asked.topic


@rule
def diff(asked: Asked) -> Iterator[Weighed]:
    """The lines of a part of the current change."""
    part = part_of(asked)
    if not asked.has("diff") or asked.references or asked.spans or not part or len(asked.left) > 4:
        return
    if not asked.has("other", "me", "who", "ask") and not asked.commands:
        yield Weighed(3.0, ShowDiff(part=part))


@rule
def path_diff(asked: Asked) -> Iterator[Weighed]:
    """The lines of a file or folder that a period or range changed."""
    path = asked.filters.path or next((slot.path for slot in asked.slots(Path)), "")
    left = [word for word in asked.left if path or not _FILE.fullmatch(word)]
    path = path or next(iter(asked.left), "")
    others = asked.references or left or asked.kinds or asked.has("other", "who", "per:file")
    if path and asked.has("diff") and asked.span is not None and not others:
        yield Weighed(8.0, PathDiff(path=path, window=asked.span))


_FILE = lazy(r"[\w+-]+\.[A-Za-z]\w{0,4}", re.ASCII)
"""A word that may be the name of a file: ``go.mod``, ``envs.py``."""


@rule
def of_it(asked: Asked) -> Iterator[Weighed]:
    """What the current change does somewhere: *what did it change in the tests*."""
    part, its = part_of(asked), asked.has("it") and asked.has("ask") and asked.has("change")
    others = asked.spans or asked.references or asked.kinds or asked.has("other", "me", "who")
    if its and part and not others and len(asked.left) < 3:
        yield Weighed(4.4, ShowDiff(part=part))


# --- Names of the code ---------------------------------------------------------------------------


@rule
def touched(asked: Asked) -> Iterator[Weighed]:
    """The history of a flag, a variable or a class."""
    name, sure = _symbol(asked)
    name = PHRASES["package"].sub("", name)
    if not name or asked.references or asked.has("other", "search", "mention"):
        return
    if asked.has("me") and not (sure and asked.has("history")):
        return  # "do I still need --fast" is about the flag, "my scheduler" is not
    if asked.commands or (asked.things and asked.says("about_names")):
        return  # "new variables related to UV_PUBLISH"
    if not sure and asked.has("who") and asked.has("agent", "keep"):
        return  # "who works on LoRA"
    if not asked.slots(Symbol) and asked.has("kind:fix") and asked.says("which_release"):
        return  # "which release fixed the crash"
    cues = asked.has("history", "happened", "explain", "default", "why", "state", "bump", "risk")
    cues = cues or asked.has("instead") or PHRASES["what_is"].fullmatch(asked.text) is not None
    cues = cues or bool(asked.actions)
    told = cues or asked.has("kind:deprecations")
    cues = cues or (told and asked.says("yes_or_no"))
    if (not sure and not cues) or ("=" in name and asked.has("explain") and not asked.slots(Quote)):
        return
    inside = any(token.text.lower() in {"in", "with"} for token in asked.tokens)
    if not sure and inside and asked.has("happened"):
        return
    others = sum(word not in name for word in asked.words)
    window = None if asked.says("nowadays") else asked.span
    asks = asked.says("yes_or_no") if sure else asked.has("history") and asked.actions
    if others > 1 and asks and asked.has("it") and len(asked.slots(Symbol)) == 1:
        others, window = 1, None  # a story about the name that "is this gone" ends
    weight = (2.5 if sure else 0.5) + (3.5 if told else 0) - 1.6 * others
    between = sure and any(isinstance(span, Refs) for span in asked.spans)
    weight += 2.0 * (between and bool(asked.actions)) + 0.2 * bool(asked.spans)
    if asked.has("bump"):  # "was FlashInfer bumped this week" asks for the versions of the week
        weight += 1.0 * asked.has("history") - 2.0 * (not sure and bool(asked.spans))
    build = next((one.name for one in asked.slots(Platform)), "")
    claim = claim_of(asked) or wanted(asked) or ("value" if build else "")
    yield Weighed(weight, Touched(name=name, window=window, claim=claim, platform=build))


@rule
def shipped(asked: Asked) -> Iterator[Weighed]:
    """Whether a release has a change: *is #12 in 3.14*."""
    named = asked.slots(Release)
    if len(asked.references) == len(named) == 1 and asked.says("in_release"):
        yield Weighed(6.5, Released(reference=asked.references[0], release=named[0].name))


@rule
def valued(asked: Asked) -> Iterator[Weighed]:
    """The default of what words describe: *http timeout default*, *did it ever change*."""
    named = asked.references or asked.spans or asked.kinds or asked.things or asked.slots(Symbol)
    others = asked.has("count", "who", "other", "me", "why", "compare")
    words = asked.words  # a setting may be called what no title says
    if asked.has("default") and 1 < len(words) <= _MOST_DESCRIBED and not (named or others):
        change = asked.has("change")
        claim = claim_of(asked) or ("revalued" if change else "value")
        if not change or any(map(asked.says, ("yes_or_no", "since_when", "how"))):
            yield Weighed(6.0 if change else 2.5, Touched(name=" ".join(words), claim=claim))


_MOST_DESCRIBED = 4  # words of a description of a setting


@rule
def required(asked: Asked) -> Iterator[Weighed]:
    """The version of a dependency: *what flashinfer does main need*, *the last torch upgrade*."""
    match = _NEEDS.search(asked.text)
    name = next(filter(None, match.groups()), "") if match is not None else ""
    if name in asked.words and not (asked.spans or asked.references):
        yield Weighed(6.0, Touched(name=name, claim="value"))


_NEEDS = lazy(
    r"^(?:so |and |hey,? )?(?:what|which)(?: version of| release of)? ([a-z][\w.-]{2,40})"
    r"(?: version)? (?:(?:do(?:es)? [\w ]{1,20}?|is) (?:need|require|use|pin)(?:e?d)?"
    r"|are we (?:now |currently )?(?:on|at|using|running))\b"
    r"|\b(?:needs?|requires?|wants?) (?:which|what) (?:version of )?([a-z][\w.-]{2,40})\b"
    r"|\b(?:latest|newest|last|most recent) ([a-z][\w.-]{2,40}) (?:version )?(?:upgrade|bump)\b",
    re.IGNORECASE,
)


@rule
def brought(asked: Asked) -> Iterator[Weighed]:
    """Who, or which change, brought or removed a thing: *which PR added eagle3 support*."""
    others = bool(asked.spans or asked.kinds or asked.things or asked.references or asked.author)
    others = others or asked.has("most", "count", "contributors", "other", "me")
    one = asked.says("which_change") and asked.actions in ((Action.ADDED,), (Action.REMOVED,))
    who = asked.has("who") and asked.actions == (Action.ADDED,)
    if (who or one) and asked.topic and not others:
        weight = 4.6 + 2.0 * asked.has("history")  # "which change added it first, and who"
        claim = "removed" if asked.actions == (Action.REMOVED,) else "added"
        yield Weighed(weight, Touched(name=asked.topic, claim=claim))


@rule
def began(asked: Asked) -> Iterator[Weighed]:
    """Since when there is something that words describe: *since when is Python 3.15 supported*."""
    named = asked.references or asked.spans or asked.kinds or asked.things or asked.slots(Symbol)
    others = named or asked.author or asked.has("count", "who", "other", "me", "why")
    others = others or (asked.has("change") and not asked.says("came_in"))
    if others or not asked.has("history") or not asked.says("since_when"):
        return
    if 0 < len(asked.words) <= _MOST_DESCRIBED:
        weight = 1.6 + 2.0 * asked.says("came_in")
        yield Weighed(weight, Touched(name=" ".join(asked.words), claim=wanted(asked) or "added"))


def unused(asked: Asked, intent: Intent) -> tuple[str, ...]:
    """The words of a question that its reading leaves out and that may change what is asked."""
    if isinstance(intent, Changed | DigestOf):
        return asked.unknown + tuple(t.text for t in asked.tokens if "limit" in t.tags)
    if not (isinstance(intent, Touched) and intent.name and asked.says("yes_or_no")):
        return ()
    said = [
        t.slot.name if isinstance(t.slot, Release) else name_of(t)
        for t in asked.tokens
        if isinstance(t.slot, Release | Path | Quote | Symbol) or not (t.slot or t.tags)
    ]
    name = intent.name.lower()
    left = (one for one in said if one and not one.startswith(LATEST) and one.lower() not in name)
    return tuple(dict.fromkeys((*left, *asked.excluded)))


def claim_of(asked: Asked) -> str:
    """The claim about a name in a question to be answered by yes or no."""
    if not asked.says("yes_or_no"):
        return ""
    if asked.has("instead"):
        return "instead"  # "is there a replacement for it"
    claims = (claim for tag, claim in _CLAIMS.items() if asked.has(tag))
    claim = next(claims, "")
    if claim == "there" and asked.says("needed"):
        return "needed"
    if claim == "gone" and asked.says("going_away"):
        return "deprecated"
    if claim == "default" and switched_to(asked) == "off":
        return "off"
    if claim == "default" and asked.has("change") and not switched_to(asked):
        return "revalued"
    return "experimental" if claim == "stable" and asked.says("early") else claim


def wanted(asked: Asked) -> str:
    """Another question about a name: replacement, when it was added or removed, value, release."""
    if asked.has("instead") and not (asked.says("yes_or_no") or asked.has("default")):
        return "instead"
    if asked.says("yes_or_no"):
        return ""
    if asked.has("default") and asked.has("change") and asked.says("how"):
        return "revalued"
    if asked.has("why") and asked.actions == (Action.REMOVED,):
        return "removed"
    if not asked.says("which"):
        least = asked.has("bump") and asked.says("least_version")
        return "value" if least or asked.text.lower().startswith("default of ") else ""
    if asked.says("which_release") and not asked.has("bump"):
        return "removed" if asked.has("act:removed") else "release"
    return next((what for tag, what in _WANTED.items() if asked.has(tag)), "")


_WANTED = {
    "act:removed": "removed", "act:added": "added", "default": "value", "bump": "value",
    "upgrade": "value",
    "history": "added",
}  # fmt: skip

_CLAIMS = {
    "act:renamed": "renamed", "kind:deprecations": "deprecated", "act:removed": "gone",
    "state": "stable", "default": "default", "history": "there",
}  # fmt: skip


def _symbol(asked: Asked) -> tuple[str, bool]:
    """The code name that the question is about, and whether it is certainly one."""
    symbols = asked.slots(Symbol)
    if len(symbols) > 1 and asked.has("why"):
        return " ".join(one.name for one in symbols), True  # "why was A replaced by B"
    if symbols and asked.has("why"):
        return asked.topic, True
    if len(asked.left) > 1 and asked.says("supported_for"):
        return "", False  # "is eagle3 supported for qwen3.5" is about both
    if symbols:
        best = next((symbol for symbol in symbols if symbol.sure), symbols[0])
        if best.sure or ("." in best.name and _is_called(best, asked)):
            return best.name, True
        return _numbered(best, asked), False
    for token, after in itertools.pairwise(asked.tokens):
        typed = any(tag.startswith("thing:") for tag in token.tags)
        if typed and isinstance(after.slot, Quote) and asked.has("explain", "happened"):
            return after.slot.text, True
    if name := _in_state(asked):
        if asked.has("upgrade", "bump") and not {*asked.left} <= {*name.split()}:
            name = asked.topic  # "when did XPU go to torch 2.13" is about both
        name = _VERSION.sub("", name) if asked.has("upgrade", "bump") else name
        return name, asked.has("state") or " " in name
    of_one = not asked.kinds or asked.kinds == (ChangeKind.DEPENDENCIES,)
    counts = asked.has("count") and not asked.has("bump")
    goes_on = bool(asked.tokens) and "again" in asked.tokens[0].tags
    left = [token for place, token in enumerate(asked.tokens) if asked.is_left(place)]
    unnamed = asked.has("it") and left and all(map(is_thing, left))  # "the default of this flag"
    if asked.spans or not of_one or counts or goes_on or unnamed or asked.has("who", "compare"):
        return "", False
    if asked.has("history") and asked.kinds and len(asked.words) == 1:
        return asked.words[0], True
    return _versioned(asked), True


def _is_called(symbol: Symbol, asked: Asked) -> bool:
    """Whether a word beside a name says what it is: *the storage.retention flag*."""
    pairs = itertools.pairwise(asked.tokens)
    return any(
        (one.slot is symbol and is_thing(other)) or (other.slot is symbol and is_thing(one))
        for one, other in pairs
    )


def _numbered(symbol: Symbol, asked: Asked) -> str:
    """A name followed by its version number: *DeepSeek V4*, *FlashAttention 3*."""
    for token, after in itertools.pairwise(asked.tokens):
        if token.slot is symbol and after.text in asked.words and _NUMBERED.fullmatch(after.text):
            return f"{symbol.name} {after.text}"
    return symbol.name


_NUMBERED = lazy(r"[a-z]{0,2}\d[\w.]{0,9}", re.IGNORECASE)
_VERSION = lazy(r" v?\d+(?:\.\d+)+$")
"""The version that something was moved to: *when did we move to torch 2.13*."""


def _in_state(asked: Asked) -> str:
    """The words whose state the question asks for: *is native histograms still experimental*."""
    released = any(isinstance(token.slot, Release) for token in asked.tokens)
    others = asked.has("count", "it", "who", "nth:1")
    others = others or (asked.has("change") and not asked.says("when_landed"))
    if asked.spans or released or asked.things or others or (asked.top and asked.kinds):
        return ""
    asks = asked.has("aux", "history", "why") or asked.says("yes_or_no")
    return _LANDS.sub("", stated_in(asked.tokens)) if asks else ""


_LANDS = lazy(r" (?:land|ship|merged?|in)$")


def _versioned(asked: Asked) -> str:
    """The one unknown word beside a version: *which go version do they test with*."""
    if not asked.has("bump"):
        return ""
    places = [n for n in range(len(asked.tokens)) if asked.is_left(n)]
    whole = 0 < len(places) < 4 and places == list(range(places[0], places[-1] + 1))
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


def time_counted(asked: Asked) -> str:
    """The unit of requested numbers over time: ``day``, ``week`` or ``month``; otherwise empty."""
    spoken = asked.values.get("per", ())
    return next((one for one in ("month", "week", "day") if one in spoken), "")


def switched_to(asked: Asked) -> str:
    """The requested default of names: ``on`` or ``off``; otherwise empty."""
    match = _SWITCHED.search(asked.text) if asked.has("default") else None
    return "" if match is None else str(match.lastgroup).partition("_")[0]


_SWITCHED = lazy(
    r"\b(?P<on>on|enabled|active|turned on)\b.{0,9}\bdefault"
    r"|默认.{0,2}(?P<on_zh>打开|开启|启用|开着|开的)"
    r"|\b(?P<off>off|disabled|inactive|turned off)\b.{0,9}\bdefault"
    r"|默认.{0,2}(?P<off_zh>关闭|禁用|关着|关的)",
    re.IGNORECASE,
)
"""Names by their defaults: *on by default*, *默认打开*."""
