"""Readings of questions about one change, or about a name of the code."""

from __future__ import annotations

from collections.abc import Iterator

from digest.core.enums import ChangeKind
from digest.question.asked import Asked, Weighed
from digest.question.intent import (
    Again,
    Author,
    Explain,
    Reviewers,
    Risky,
    Search,
    ShowDiff,
    Touched,
    Why,
)
from digest.question.periods import Now
from digest.question.slot_values import Path, Quote, Symbol


def about_one(asked: Asked, now: Now) -> Iterator[Weighed]:
    """A question that names one change explains it at least."""
    del now
    if len(asked.references) != 1 or (asked.has("todo") and not asked.has("ask")):
        return
    numbers = any(word.isdecimal() for word in asked.words)
    if asked.spans or numbers or asked.has("other", "search"):
        return
    if any(t.text.lower().startswith(("mention", "refer")) for t in asked.tokens):
        yield Weighed(6.0, Search(terms=(str(asked.references[0]).removeprefix("issue "),)))
        return
    (reference,) = asked.references
    first = next((t for t in asked.tokens if not t.tags & {"noise", "greet"}), None)
    if first and first.slot is None and first.text.lower() in _DOING:
        return
    tag = next((tag for tag in _ABOUT if asked.has(tag)), "")
    if asked.has("again") and not tag and asked.only_words("again"):
        yield Weighed(7.0, Again(reference=reference))
        return
    named = tag == "wrote" and not asked.is_writing  # "what did  # "what did #1 change"
    if tag == "diff" or ((not tag or named) and asked.slots(Path)):
        yield Weighed(6.0, ShowDiff(reference=reference, part=_part(asked)))
    elif named:
        yield Weighed(6.0, Explain(reference=reference))
    else:
        yield Weighed(6.0, _ABOUT.get(tag, Explain)(reference=reference))


_DOING = frozenset({"revert", "merge", "close", "合并", "关闭", "回滚", "批准", "撤销", "删除"})
"""Words that do not begin a question about a change, unless it asks for an action."""


def _words(asked: Asked) -> Iterator[str]:
    """The words without tags."""
    return (t.text for t in asked.tokens if t.slot is None and not t.tags)


_ABOUT: dict[str, type[Why | Risky | Reviewers | Author | ShowDiff]] = {
    "diff": ShowDiff,
    "why": Why,
    "review": Reviewers,
    "wrote": Author,
    "risk": Risky,
    "kind:breaking": Risky,
    "remedy": Risky,
}


def _part(asked: Asked) -> str:
    """The part of a change's lines that is asked for: a path, quoted text, or words."""
    paths = asked.slots(Path)
    return paths[0].path if paths else asked.topic


def diff(asked: Asked, now: Now) -> Iterator[Weighed]:
    """The lines of a part of the current change."""
    del now
    part = _part(asked)
    if not asked.has("diff") or asked.references or asked.spans or not part or len(asked.left) > 4:
        return
    if not asked.has("other", "me", "who", "ask") and not asked.commands:
        yield Weighed(3.0, ShowDiff(part=part))


def of_it(asked: Asked, now: Now) -> Iterator[Weighed]:
    """What the current change does somewhere: *what did it change in the tests*."""
    del now
    part, its = _part(asked), asked.has("it") and asked.has("ask") and asked.has("change")
    others = asked.spans or asked.references or asked.kinds or asked.has("other", "me", "who")
    if its and part and not others and len(asked.left) < 3:
        yield Weighed(4.4, ShowDiff(part=part))


# --- Names of the code ---------------------------------------------------------------------------


def touched(asked: Asked, now: Now) -> Iterator[Weighed]:
    """What happened to a flag, a variable, a class."""
    del now
    name, sure = _symbol(asked)
    if (
        not name
        or asked.has("other", "me", "search", "mention")
        or asked.references
        or asked.commands
    ):
        return
    cues = asked.has("history", "happened", "explain", "default", "why") or asked.actions
    told = cues or asked.has("kind:deprecations", "bump")
    if (not sure and not cues) or ("=" in name and asked.has("explain")):
        return
    if (
        not sure
        and asked.has("happened")
        and any(t.text.lower() in {"in", "with"} for t in asked.tokens)
    ):
        return
    others = sum(1 for word in asked.words if word not in name)
    weight = (2.5 if sure else 0.5) + (3.5 if told else 0) - 1.6 * others
    weight += 0.2 if asked.spans else 0
    yield Weighed(weight, Touched(name=name, window=asked.span))


def _symbol(asked: Asked) -> tuple[str, bool]:
    """The name of code that is asked about, and whether it is certainly one."""
    symbols = asked.slots(Symbol)
    if symbols:
        best = next((one for one in symbols if one.sure), symbols[0])
        return best.name, best.sure
    for token, after in zip(asked.tokens, asked.tokens[1:], strict=False):
        typed = any(tag.startswith("thing:") for tag in token.tags)
        if typed and isinstance(after.slot, Quote) and asked.has("explain", "happened"):
            return after.slot.text, True
    of_one = not asked.kinds or asked.kinds == (ChangeKind.DEPENDENCIES,)
    bumped = asked.has("bump") and not asked.has("count", "who", "compare") and of_one
    if bumped and not asked.spans and len(asked.left) == 1 and not asked.has("again"):
        return asked.left[0], True
    return "", False
