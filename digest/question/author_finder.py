"""The author that a question names: *by Ada*, *what did Ada do*, *Ada's changes*."""

from __future__ import annotations

from collections.abc import Sequence

from digest.question.commit_range import Refs
from digest.question.slot_values import Quote, Symbol, Token
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
