"""Questions in words, read as intents: slots first, then the intent.

After its slots are extracted (``slots``), every other word gets the tags of the cue table
(``cues.toml``), and each intent is scored: a reading gains by the slots and cues that it needs and
loses by words that it cannot place. To support a new phrasing, add a word to a table.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from digest.chat.chat_commands import read_managing
from digest.core.enums import ChangeKind
from digest.core.patterns import lazy
from digest.core.release import LATEST, asked_release
from digest.errors import UserError
from digest.frozen import frozen
from digest.question import (
    change_rules,
    follow_up_rules,
    list_rules,
    profile_rules,
    range_rules,
)
from digest.question.asked import RULES, Asked, Weighed
from digest.question.intent import (
    Affected,
    Again,
    Author,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Greet,
    Intent,
    Nth,
    OfCurrent,
    Released,
    Releases,
    Retell,
    ShowDiff,
    Touched,
    Unknown,
    is_everything,
)
from digest.question.lexicon import (
    LONGEST,
    NONE,
    PHRASES,
    correct,
    in_usual_words,
    is_foreign,
    language_of,
    reference_of,
    says,
    tidy,
    without_language,
    without_tail,
)
from digest.question.periods import Now
from digest.question.questions import near_examples
from digest.question.slot_values import (
    Background,
    Path,
    Quote,
    Release,
    Stray,
    Symbol,
    Token,
    name_of,
)
from digest.question.slots import slots_of, words_of
from digest.question.thing_cues import exclusions_in
from digest.topics.synonyms import synonyms
from digest.topics.terms import STOP_WORDS

LEAST = 1.0  # minimum weight of a reading
SURE = 2.0  # minimum weight of a reading that is sure

_MOST_UNKNOWN = 40
"""Maximum words without tags of a question that is neither about one change nor a search."""

_BY_PRECEDENCE = (change_rules, follow_up_rules, range_rules, list_rules, profile_rules)
"""The modules of rules: of two readings with equal weights, that of the earlier one counts."""
_MODULES = [module.__name__ for module in _BY_PRECEDENCE]
_RULES = sorted(RULES, key=lambda rule: _MODULES.index(rule.__module__))


def readings(asked: Asked) -> list[Weighed]:
    """The readings of a question with enough weight, the heaviest first."""
    if asked.slots(Stray) or len(asked.spans) > 1:
        return []
    if len(asked.references) > 2 and change_rules.only_marked(asked) is None:
        return []
    if len(asked.words) > _MOST_UNKNOWN and not asked.references and not asked.has("search"):
        return []
    found = [one for rule in _RULES for one in rule(asked) if one.weight >= LEAST]
    # After an answer, a possible follow-up is read as one.
    return sorted(
        found, key=lambda one: -one.weight - bool(asked.follows and isinstance(one.intent, Again))
    )


_MOST_PLACES = 20  # the highest number that means a position after a list
_NOBODY = Background()
_NO_TOPIC = frozenset({"noise", "aux", "prep", "ask", "join", "it", "own", "greet", "count"})


@frozen(kw_only=False)
class Reading:
    """How a question was read: its intent, and the next best one if it is close.

    ``sure``: another meaning is unlikely. ``words`` are those in no table, which form a topic,
    and ``unknown`` those that form none. ``content`` are those that changes may have.
    ``single``: one change is described. ``brief``: a short answer is asked for. ``closed``: yes or
    no is asked for; ``dated``: the release of a change; ``undone``: whether it was reverted;
    ``reason``: why it was made. ``said`` are further words that a title may have, such as cues.
    """

    intent: Intent
    sure: bool = True
    words: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    other: Intent | None = None
    single: bool = False
    brief: bool = False
    closed: bool = False
    dated: bool = False
    undone: bool = False
    reason: bool = False
    said: tuple[str, ...] = ()


def parse(text: str, now: datetime, zone: ZoneInfo) -> Intent:
    """The intent of a question, its period read in ``zone`` relative to ``now``.

    Raises ``InvalidDate``, ``InvalidWindow`` and ``FutureWindow`` for a period that has the right
    form but is not valid.
    """
    return read(text, now, zone).intent


def read(text: str, now: datetime, zone: ZoneInfo, background: Background = _NOBODY) -> Reading:
    """The reading of a question about a repository with a known ``background``."""
    asked = without_tail(tidy(text))
    if not text.strip():
        return Reading(Greet())  # a mention or a command alone
    if not asked or len(asked) > LONGEST:
        near = near_examples("", language_of(text))
        return Reading(Unknown(near=near, too_long=len(asked) > LONGEST), sure=False)
    if (left_out := PHRASES["but_not"].sub(" except ", asked)) != asked:
        asked = left_out.replace(" and not ", " and ")
    question = without_language(asked) or asked
    if correction := PHRASES["correction"].match(question) or PHRASES["meant"].search(question):
        begin, end = correction.span()
        if rest := f"{question[:begin]} {question[end:]}".strip(" ,-"):
            question, background = rest, replace(background, corrects=True)
    told = read_managing(asked) or profile_rules.read_profiling(question)
    its = isinstance(told, Affected) and says(question, "reaches_asker")
    if told is not None and not (its and background.follows):
        return Reading(told)
    listed = background.follows in {"list", "release"}
    place = PHRASES["place_alone"].fullmatch(question) if listed else None
    if place is not None and 0 < int(place[1]) <= _MOST_PLACES:
        return Reading(Nth(place=int(place[1])))
    if (reference := reference_of(question)) is not None:
        return Reading(Explain(reference=reference))
    # "In Chinese" alone is a request; after a question it gives the language of the answer.
    current = Now(now.replace(microsecond=0), zone)
    found = _read(question, current, background)
    if found is None and question != asked:
        found = _read(asked, current, background)
    if found is None:
        plain = Asked(asked, current, tuple(words_of(asked)))
        thanks = plain.has("thanks") and plain.only("thanks")
        near = near_examples(asked, language_of(text))
        terms = _content(plain)
        unknown = Unknown(near=near, foreign=is_foreign(asked), thanks=thanks, terms=terms)
        words = [name_of(token) for token in plain.tokens if not token.tags & _NO_TOPIC]
        words = list(dict.fromkeys(words))[:_MOST_UNKNOWN]
        dated = says(asked, "which_release")
        found = Reading(unknown, sure=False, words=tuple(words), content=terms, dated=dated)
    return found


def _content(asked: Asked) -> tuple[str, ...]:
    """The words of a question that may occur in changes; none if it is about something else."""
    told_to = asked.has("todo") and asked.text.startswith(("帮我", "请帮我", "麻烦帮我"))
    if asked.commands or told_to or asked.has("other", "foreign"):
        return ()
    named = (Symbol, Path, Quote)
    found = [
        name_of(t)
        for t in asked.tokens
        if isinstance(t.slot, named) or (t.slot is None and not t.tags & _NO_CONTENT_TAGS)
    ]
    found = [word for word in found if not _NO_CONTENT.fullmatch(word)]
    return tuple(dict.fromkeys(found))[:_MOST_UNKNOWN]


def _described(asked: Asked) -> tuple[str, ...]:
    """The words of a question that describe changes: topics, kinds of change and of names."""
    cues = ("kind:", "act:", "thing:", "default", "state")
    found = [
        token
        for token in asked.tokens
        if isinstance(token.slot, Symbol | Path | Quote | Release)
        or (
            token.slot is None
            and (
                not token.tags
                or any(tag.startswith(cues) for tag in token.tags)
                or synonyms(token.text)
            )
        )
    ]
    names = [t.slot.name if isinstance(t.slot, Release) else name_of(t) for t in found]
    names = [n for n in names if not _NO_CONTENT.fullmatch(n) and not n.startswith(LATEST)]
    return tuple(dict.fromkeys(names))[:_MOST_UNKNOWN]


def cue_words(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The words of cues and of noise that titles may have too."""
    found = [
        token.text
        for token in tokens
        if token.slot is None and token.tags and not token.tags & _NEVER_SAID
    ]
    words = (word for text in found if text.isascii() for word in text.split())
    words = (word for word in words if word.isalpha() and len(word) > 2)
    return tuple(dict.fromkeys(word for word in words if word.lower() not in STOP_WORDS))


_NEVER_SAID = frozenset(
    {"ask", "aux", "prep", "join", "me", "they", "own", "it", "neg", "greet", "thanks"}
)


def content_words(text: str) -> tuple[str, ...]:
    """The words of a clause that may be what it is about."""
    return tuple(
        token.text
        for token in words_of(tidy(text))
        if not token.tags & _NO_CONTENT_TAGS and not _NO_CONTENT.fullmatch(token.text)
    )[:_MOST_UNKNOWN]


_NO_CONTENT_TAGS = _NO_TOPIC | {"me", "they", "thanks", "history", "happened", "change", "why"}
_NO_CONTENT = lazy(r"\W*|\d+|[a-z]{1,2}")
"""Words that occur in too many changes, or that mean nothing alone."""


def split(
    text: str, now: datetime, zone: ZoneInfo, background: Background, *, listed: bool = False
) -> tuple[str, ...]:
    """The two questions of a text; empty if it is one or either is not understood.

    If several changes are ``listed``, it may ask for two of them.
    """
    asked = tidy(text[:LONGEST])
    of_two = list_rules.two_of_list(asked) if listed else ()
    told = [read(one, now, zone, replace(background, follows="list")).intent for one in of_two]
    if told and all(isinstance(one, Nth) and one.place for one in told):
        return of_two
    if related := list_rules.two_related(asked):
        return related
    whole = len(without_tail(asked))
    for joint in itertools.islice(PHRASES["joint"].finditer(asked), _MOST_JOINTS):
        parts = asked[: joint.start()], asked[joint.end() :]
        try:
            first = read(parts[0], now, zone, background)
            about = "change" if isinstance(first.intent, Explain | OfCurrent) else "list"
            about = "name" if isinstance(first.intent, Touched) else about
            again = isinstance(first.intent, Retell | Nth | ShowDiff)
            about = background.follows if again else about
            later = read(parts[1], now, zone, replace(background, follows=about))
            second = later.intent
            if about == "list" and "?" in joint[0] and isinstance(second, Changed):
                parts = parts[0], f"and {parts[1]}"
                second = read(parts[1], now, zone, replace(background, follows=about)).intent
        except UserError:
            continue
        its = isinstance(second, OfCurrent) and second.reference is None
        its = its or second in {Nth(place=0), Retell(), Touched(name="")}
        if not first.sure or (its and about == "list"):
            continue
        if joint.start() >= whole:
            return parts[:1]  # a reason, not a question
        if isinstance(second, Again) and isinstance(first.intent, Changed) and first.intent.counted:
            narrows = second.only or {*second.kinds} - {*first.intent.kinds}
            if narrows or second.level:
                return parts  # "how many fixes in July, and which are about ROCm"
        if isinstance(second, Again) and second == Again(top=second.top):
            return ()  # "which files changed most? top 5"
        if _ZH_JOINT.fullmatch(joint[0]) and not its:
            specific = isinstance(first.intent, _SPECIFIC) or _names_release(first.intent)
            ends = parts[0].endswith(("吗", "呢", "么", "吧")) or joint[0][0] == ","
            both = read(asked, now, zone, background)
            if both.sure and _has_more(both.intent, first.intent, second):
                return ()
            if specific or (ends and isinstance(second, Unknown)):
                named = isinstance(second, Touched | Compare) or getattr(second, "reference", None)
                return parts if named else parts[:1]
            continue
        covered = {Explain: (Author, Nth, Retell), Touched: (Author, Released, Nth, Touched)}
        covered[Nth] = (Nth,)  # "the second one, what does it do"
        if isinstance(second, covered.get(type(first.intent), ())) and its:
            both = read(asked, now, zone, background)
            claims = {one.claim for one in (first.intent, both.intent) if isinstance(one, Touched)}
            if len(claims) > 1 and isinstance(second, Released):
                return ()  # "is it supported, since when": since when says both
            return parts if later.reason and about == "name" else parts[:1]
        if its or ("?" in joint[0] and isinstance(second, Again | Releases)):
            return parts
        apart = "?" in joint[0] and not isinstance(second, Unknown | Again)
        listed = isinstance(first.intent, Changed) and not first.intent.anytime
        if apart and listed and isinstance(second, Touched) and second.name:
            return parts  # "which models went in July? is Plamo2 still there"
        if apart and isinstance(read(asked, now, zone, background).intent, Unknown):
            return parts  # "MSRV bumped? which version do I need"
    return ()


def _has_more(whole: Intent, part: Intent, rest: Intent) -> bool:
    """Whether a list asks for more with the words behind a comma: *有具体数字吗*, *八月份*."""
    if not isinstance(whole, Changed):
        return False
    told = (whole.figures, whole.topic)
    more = isinstance(part, Changed) and told != (part.figures, part.topic)
    return more or isinstance(rest, Again) or rest == DigestOf(window=whole.window)


def clauses(text: str) -> tuple[tuple[str, str], ...]:
    """The longest beginnings of a text that end with a clause, each with the rest; then the ends.

    One of them may be the question, if it is surrounded by a story.
    """
    asked = tidy(text[:LONGEST])
    cuts = list(itertools.islice(_CLAUSE.finditer(asked), _MOST_JOINTS))
    begins = [(asked[: cut.start()], asked[cut.end() :]) for cut in reversed(cuts)]
    return (*begins, *((asked[cut.end() :], asked[: cut.start()]) for cut in cuts))


_CLAUSE = lazy(
    r"[?!;]+ ?(?=\S)|, ?(?=\S)| - "
    r"| (?=(?:or|and) (?:do|does|should|can|must|will|is|are|did|has|have)\b)"
    r"|[。？！；，] ?(?=\S)|(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])"
)
"""Separators between two clauses."""


_ZH_JOINT = lazy(r",? ?")
_SPECIFIC = Touched | Explain | Released | Compare
"""Intents about one thing, so that words after it in Chinese are another question."""


def _names_release(intent: Intent) -> bool:
    return isinstance(intent, Changed) and asked_release(intent.topic) is not None


_MOST_JOINTS = 3


def _read(question: str, now: Now, background: Background) -> Reading | None:
    try:
        tokens, excluded = exclusions_in(list(slots_of(question, now, background)))
    except UserError:
        if _is_ours(Asked(question, now, tuple(words_of(question)))):
            raise
        return None
    follows = background.follows
    question = correct(question, background.known or NONE)
    question = in_usual_words(question) if follows and len(question) < _MOST_SHORT else question
    known = background.words
    asked = Asked(question, now, tokens, excluded, known, follows, background.corrects)
    if asked.has("thanks") and asked.only("thanks"):
        return None
    found = readings(asked)
    if not found:
        return _about_name(asked)
    best, *others = found
    unknown, yes_or_no = change_rules.unused(asked, best.intent), asked.says("yes_or_no")
    able = not (asked.spans or asked.has("change", "happened", "about"))
    if yes_or_no and asked.without and able and not (asked.kinds or asked.says("is_there_any")):
        return None  # changes without something do not say that it works without
    near = (o.intent for o in others if best.weight < o.weight + 1 and o.intent != best.intent)
    lost = is_everything(best.intent) and ((yes_or_no and unknown) or asked.says("when_landed"))
    other = Unknown(terms=_content(asked)) if lost else next(near, None)
    reason = isinstance(best.intent, Touched) or ChangeKind.REVERTS in asked.kinds
    single = asked.says("one_change") or (asked.has("why") and reason)
    brief = asked.has("shorter") and isinstance(best.intent, Changed | DigestOf | Explain)
    said = set(asked.kinds) & _SAID or asked.actions or asked.has("history")
    said = said or (able and asked.says("able"))
    told = yes_or_no or asked.has("why") or (follows and asked.has("who", "history"))
    undone = bool(told) and asked.says("undone")
    closed = bool(said) and yes_or_no and not (asked.has("it") and follows)
    closed = closed and not asked.says("still_happens")
    spelt = " ".join(token.text for token in tokens)
    dated = asked.says("which_release") or says(spelt, "which_release")
    dated = dated and bool(asked.kinds or asked.topic)
    return Reading(
        best.intent,
        best.weight >= SURE and not unknown,
        asked.words,
        unknown,
        _described(asked),
        other,
        single=single,
        brief=brief,
        closed=closed,
        dated=dated,
        undone=undone,
        reason=asked.has("why"),
        said=cue_words(tokens),
    )


def _about_name(asked: Asked) -> Reading | None:
    """The reading of a question in which only the name of a flag or variable is understood."""
    names = {symbol.name for symbol in asked.slots(Symbol) if symbol.sure}
    if len(names) != 1 or asked.references or "=" in "".join(names):
        return None
    if asked.has("other", "todo", "foreign", "search", "compare", "explain", "diff"):
        return None
    touched = Touched(name=names.pop())
    return Reading(touched, sure=False, words=asked.words, unknown=asked.unknown)


_MOST_SHORT = 120  # characters of a question that may be a follow-up in unusual words
_SAID = {ChangeKind.FIX, ChangeKind.REVERTS, ChangeKind.SECURITY, ChangeKind.DEPRECATIONS}
"""Kinds for which a change proves a yes: *was it fixed*."""


def _is_ours(plain: Asked) -> bool:
    """Whether a question with an invalid period is still about changes."""
    return not plain.has("other", "todo", "me") and (
        plain.has("change", "digest", "happened", "count")
        or bool(plain.kinds)
        or not (plain.has("future") or plain.left)
    )
