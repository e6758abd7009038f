"""The importance of a change: a score and a level from the signals of its facts.

*Must a reader act?* Rules answer where a fact or the author says so: the change gets at least the
level of its rule. Otherwise a logistic model tells how similar it is to changes that maintainers
mark as breaking, deprecated or security fixes. *Is it news?* Another model tells how similar it is
to those that they name in release notes. ``importance.json`` holds the rules (levels and
strengths), weights (log-odds per unit of a signal) and biases. The same facts always give the same
grade. A level that a language model changes is kept apart, as an override that can be applied again
to the same level.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from math import exp, log
from typing import TYPE_CHECKING

from digest.core.change import Commit
from digest.core.facts import Facts
from digest.core.grade import Grade, Level, Reason, Thresholds
from digest.core.patterns import lazy, read_file
from digest.frozen import frozen

if TYPE_CHECKING:
    from digest.grading.signals import Signal

_LEAST_REASON = 0.08  # log-odds; what moves a score by less than 2 % is not named as a reason
_MOST_REASONS = 5
STEP = 0.0001  # the step of a rounded score
_FOOT = 0.08  # how far above its level's threshold the most urgent demand alone can lift a score
RESEMBLES = "resembles_marked"
"""The rule for an unmarked change that resembles those that maintainers mark."""

_MERGES = "branch_merge"
_MERGED = -6.0
"""The weight of a merged branch, whatever the model: most of its commits are known."""

FORCED = "forced"  # the rule name in the reasons of a grade that a configured rule set
_URGENT = 2.0  # minimum strength of a rule about what certainly breaks
_LOWERED = 0.6  # maximum strength of a rule that asks for less than it usually does
_RESEMBLING = 0.5
_FILED = frozenset({"note_internal", "title_aside", "title_chore", "title_docs", "title_tests"})
"""Titles and entries by which authors classify a change as invisible from outside."""

_SPOKEN = (
    *("says_", "body_breaking", "default_changed", "title_breaking", "header_changed"),
    *("config_changed", "flag_changed", "environment_changed", "schema_changed"),
)
"""Prefixes of signals that a change is visible from outside."""

_HINTS = frozenset(
    """
    body_behaviour body_stable docs_added docs_changed says_instead tests_changed title_hardening
    """.split()  # noqa: SIM905 - a list a word a line would take a page
)
"""Signals of which two are needed for that."""

_SAID = frozenset({"body_behaviour", "body_stable", "says_instead", "title_hardening"})
"""Those of them in the author's words, without which none makes a change high."""

_TAKEN_AWAY = frozenset({"title_removal", "docs_changed"})
"""Signals that something documented was removed."""

_FIRM = 1.5  # minimum log-odds that a change with hints alone is like those that are marked
_OFFERED = 0.8  # the same for one whose interface is no longer as it was
_SHOWN_RENAMES = frozenset(
    """
    config_changed config_renamed docs_changed environment_renamed flag_renamed metric_renamed
    route_renamed schema_changed
    """.split()  # noqa: SIM905
)
"""Signals that something users know was renamed, as a title with a name of the code may say."""

_FOR_USERS = lazy(
    r"--|\b(?:flag|option|config\w*|metric|endpoint|env)s?\b|(?-i:\b[A-Z][A-Z0-9]+_[A-Z])",
    re.IGNORECASE,
)
_INTERFACE = frozenset({"symbol_changed", "symbol_removed", "symbol_renamed"})
"""Signals that code which others may call is no longer as it was."""

_REMOVED = frozenset({"title_removal", "symbol_removed"})
"""Signals that a title tells of what others called and no longer can."""

_WITHOUT_EFFECT = frozenset({"dead", "unused"})
"""What titles call a variable that nothing read; setting it on does no harm."""

_UPDATES = frozenset({"bot", "dependency", "title_upgrade", "toolchain"})
"""Signals of an update, which a changelog lists among changes and which few must react to."""

_REQUIRED = frozenset({"bot", "dependency", "title_upgrade"})
_WEAKNESSES = ("advisory", "label_security", "says_security", "security")
"""Signals of a security fix: one of what the project requires reaches users with its next release,
whatever they do."""

_USE = frozenset({"title_hardening", "title_interface", "title_removal"})
_INTERNAL = lazy(
    r"::|[(]|->|\w<|[a-z][A-Z]|\w\.(?!(?:cfg|conf|env|html|ini|json|lock|log|md|py|toml|txt|ya?ml)$)\w"
    r"|[a-z]_[a-z]|^_[a-z]|^[A-Z][A-Z0-9_]*[a-z]\w*$"
)
"""A name in code that only the project's own developers use: a path, a call, a type, a function.

Names of files and variables of the environment are known to users, as are commands with a
placeholder (`run <name>`).
"""

_CONTEXT_ONLY = frozenset({"title_length", "files", "core"})
"""Signals that stabilise the score but are not worth showing to a reader."""

_UNDONE = {
    "title_feature": "undone_feature",
    "title_removal": "undone_removal",
    "says_contract_removed": "undone_removal",
    "says_deprecated_removed": "undone_removal",
    "says_support_dropped": "undone_removal",
}
"""Rules for reverts, which are graded by the title that they revert, and their reasons."""

_BROUGHT_BACK = frozenset(
    {
        "config_added",
        "core_new_files",
        "environment_added",
        "flag_added",
        "metric_added",
        "note_added",
        "route_added",
        "symbol_added",
    }
)
"""Rules about new things. What a revert adds was there before, so they are no reasons for it."""


@frozen
class Demand:
    """A rule of the first question: the minimum level and the urgency (log-odds)."""

    level: Level
    strength: float


@cache
def weights() -> Weights:
    """The shipped weights."""
    data = json.loads(read_file("digest.grading", "importance.json"))
    return Weights(
        version=data["version"],
        bias=data["bias"],
        weights=data["weights"],
        act={
            rule: Demand(level=Level(level), strength=strength)
            for rule, (level, strength) in data["act"].items()
        },
        demand_weights=data["demand_weights"],
        demand_bias=data["demand_bias"],
    )


@frozen
class Weights:
    """The fitted models and the rules; ``version`` changes whenever grades may change.

    ``bias`` and ``weights`` tell what is news, ``demand_bias`` and ``demand_weights`` what is like
    changes that users must react to.
    """

    version: str
    bias: float
    weights: Mapping[str, float]
    act: Mapping[str, Demand] = field(default_factory=dict)
    demand_weights: Mapping[str, float] = field(default_factory=dict)
    demand_bias: float = -6.0


def grade(
    facts: Facts,
    thresholds: Thresholds | None = None,
    *,
    commit: Commit | None = None,
    labels: Collection[str] = (),
    model: Weights | None = None,
) -> Grade:
    """Grade a change by its facts; ``thresholds`` and ``model`` replace the shipped ones.

    ``commit`` identifies the author; ``labels`` are the labels of the request on the forge.
    """
    model, least = model or weights(), thresholds or Thresholds()
    found = _signals(facts, commit, labels)
    news = {s.name: round(model.weights.get(s.name, 0.0) * s.value, 4) for s in found}
    if _MERGES in news:
        news[_MERGES] = _MERGED
    score = 1 / (1 + exp(-model.bias - sum(news.values())))
    if "title_aside" in news or "note_internal" in news:  # the author calls it tests or a chore
        score = min(score, least.high - STEP)
    if "title_release" in news:
        score = min(score, least.medium - STEP)
    due = _due(model, found, undone=facts.reverts is not None)
    score = round(max(score, _urgency(due.values(), least)), 4)
    level = level_of(score, least)
    reasons = [
        Reason(rule=s.name, weight=weight, subject=s.subject)
        for s in found
        if (weight := max(due[s.name].strength, news[s.name]) if s.name in due else news[s.name])
    ]
    if RESEMBLES in due:
        reasons.append(Reason(rule=RESEMBLES, weight=due[RESEMBLES].strength, subject=""))
    if facts.reverts:
        kept = sorted((r for r in reasons if r.rule not in _BROUGHT_BACK), key=lambda r: r.weight)
        named = (replace(r, rule=_UNDONE.get(r.rule, r.rule)) for r in kept)
        reasons = list({r.rule: r for r in named}.values())
    return Grade(
        score=score, level=level, reasons=_strongest(reasons, level), by=graded_by(least, model)
    )


def _signals(
    facts: Facts, commit: Commit | None, labels: Collection[str] = ()
) -> tuple[Signal, ...]:
    from digest.grading.signals import signals  # many patterns, which stored grades do not need

    return signals(facts, commit, labels)


def _due(model: Weights, found: Sequence[Signal], *, undone: bool) -> dict[str, Demand]:
    """The rules that a change meets; at most medium for a revert.

    A merged branch meets only the one about security fixes that the changelog names.
    """
    due = {s.name: model.act[s.name] for s in found if s.name in model.act}
    if any(s.name == _MERGES for s in found):
        return {name: demand for name, demand in due.items() if name == "note_security"}
    odds = model.demand_bias + sum(model.demand_weights.get(s.name, 0.0) * s.value for s in found)
    level = level_of(1 / (1 + exp(-odds)), Thresholds())
    names = {s.name for s in found}
    aside = bool(names & _FILED)
    if "title_release" in names:
        return {name: demand for name, demand in due.items() if not name.startswith("note_")}
    hints = names & _HINTS
    spoken = any(name.startswith(_SPOKEN) for name in names - hints)
    offered = bool(names & _INTERFACE) and odds >= _OFFERED
    seen = not aside and (spoken or offered or len(hints) > 1)
    code = next((s.subject for s in found if s.name == "title_code"), "")
    inner = "title_refactor" in names or (_INTERNAL.search(code) and not offered)
    hinted = (names & _SAID and len(hints) > 1) or names >= _TAKEN_AWAY
    # Nobody need react to what callers find changed, if the author says nothing of it.
    firm = spoken or (offered and names & _SAID) or (hinted and odds >= _FIRM)
    if level is Level.HIGH and (inner or aside or not firm):
        level = Level.MEDIUM
    if "title_refactor" in names and not (spoken or names & (_SAID | {"docs_changed"})):
        due = {name: d for name, d in due.items() if not name.startswith("symbol_")}
        level = Level.LOW
    if level is not Level.LOW and (seen or (not aside and _names_use(found))):
        due[RESEMBLES] = Demand(level=level, strength=_RESEMBLING)
    plain = not (aside or names & {"title_refactor", "title_housekeeping"})
    if plain and names >= _REMOVED and "symbol_removed" in due:
        due["symbol_removed"] = Demand(level=Level.HIGH, strength=due["symbol_removed"].strength)
    told = {s.name: s.subject for s in found}
    section = any(s.name == "note_upgrade" and s.value > 1 for s in found)
    required = bool(names & _REQUIRED) and "core" not in names
    lesser = {
        **dict.fromkeys(_WEAKNESSES, required),
        "body_declared": bool(names & (_UPDATES | _FILED | {"title_refactor"})),
        "code_broken": "title_housekeeping" in names,
        "says_deprecation": code.startswith("_"),
        "says_refusal": bool(_INTERNAL.search(code)),
        "note_changed": bool(names & (_UPDATES | _FILED)) or "core" not in names,
        "note_upgrade": bool(names & (_UPDATES | _FILED | {"title_feature"}))
        or ("title_fix" in names and not section),
        "says_rename": not (
            names & _SHOWN_RENAMES or _FOR_USERS.search(told.get("says_rename", ""))
        ),
        "environment_removed": told.get("title_housekeeping", "").lower() in _WITHOUT_EFFECT,
    }
    for name in lesser.keys() & due if any(lesser.values()) else ():
        if lesser[name]:
            due[name] = Demand(level=Level.MEDIUM, strength=min(due[name].strength, _LOWERED))
    if undone:
        return {
            name: Demand(level=Level.MEDIUM, strength=demand.strength)
            for name, demand in due.items()
        }
    return due


def _names_use(found: Sequence[Signal]) -> bool:
    """Whether a title mentions what users call or set, safety, or a removal."""
    code = next((s.subject for s in found if s.name == "title_code"), "")
    return not _INTERNAL.search(code) if code else any(s.name in _USE for s in found)


def _urgency(due: Collection[Demand], least: Thresholds) -> float:
    """The minimum score of what must be acted on: the more urgent, the higher in its level."""
    if not due:
        return 0.0
    top = min((demand.level for demand in due), key=lambda level: level.rank)
    strength = sum(demand.strength for demand in due if demand.level is top)
    low, high = _span(top, least)
    # Stay near the bottom of the level, so that a change that is also news ranks higher.
    return min(low + _FOOT * (1 - exp(-strength / 4)), (low + high) / 2)


def _span(level: Level, least: Thresholds) -> tuple[float, float]:
    bounds = (1.0, least.high, least.medium, 0.0)
    return bounds[level.rank + 1], bounds[level.rank]


def nearest(score: float, level: Level, least: Thresholds) -> float:
    """The score within a level that is nearest to another score."""
    low, high = _span(level, least)
    return round(min(max(score, low), high - STEP * (level is not Level.HIGH)), 4)


def urgency(grade: Grade) -> float:
    """The strength of the rules about what certainly breaks that a grade gives as reasons."""
    due = [(weights().act.get(reason.rule), reason.weight) for reason in grade.reasons]
    urgent = (d for d, weight in due if d and d.level is Level.HIGH and weight > _LOWERED)
    return sum(d.strength for d in urgent if d.strength >= _URGENT)


def demands_high(facts: Facts, commit: Commit | None = None) -> bool:
    """Whether a change is high because users must react to it, regardless of its news value."""
    due = _due(weights(), _signals(facts, commit), undone=facts.reverts is not None)
    return any(demand.level is Level.HIGH for demand in due.values())


def graded_by(thresholds: Thresholds | None = None, model: Weights | None = None) -> str:
    """The value of :attr:`Grade.by` for grades made now."""
    least = thresholds or Thresholds()
    return f"{(model or weights()).version} {least.high:g} {least.medium:g}"


def level_of(score: float, thresholds: Thresholds) -> Level:
    """The level of a score."""
    if score >= thresholds.high:
        return Level.HIGH
    return Level.MEDIUM if score >= thresholds.medium else Level.LOW


def _strongest(moved: Sequence[Reason], level: Level) -> tuple[Reason, ...]:
    """The reasons with the largest weights for the level; ties are sorted by name.

    A high grade does not show what lowered it. A low grade shows what raised it only if nothing
    lowered it.
    """
    worth = [r for r in moved if abs(r.weight) >= _LEAST_REASON and r.rule not in _CONTEXT_ONLY]
    raised = [r for r in worth if r.weight > 0]
    lowered = [r for r in worth if r.weight < 0]
    chosen = {Level.HIGH: raised, Level.MEDIUM: worth, Level.LOW: lowered or raised}[level]
    return tuple(sorted(chosen, key=lambda r: (-abs(r.weight), r.rule))[:_MOST_REASONS])


PREFIX = "model_"  # prefix of the names of reasons that a model gave


@frozen
class LevelOverride:
    """One step from a level to the next, by a rule; ``subject`` is the path that supports it."""

    rule: str
    of: Level
    to: Level
    subject: str


def laid_over(
    grade: Grade, move: LevelOverride | None, thresholds: Thresholds | None = None
) -> Grade:
    """The grade with the override applied; unchanged if the override started from another level.

    The new score is the nearest one within the new level. The facts' reasons come first.
    """
    if move is None or grade.level is not move.of or abs(move.of.rank - move.to.rank) != 1:
        return grade
    least = thresholds or Thresholds()
    score = nearest(grade.score, move.to, least)
    if score < 0 or level_of(score, least) is not move.to:
        return grade  # the thresholds leave no room for the level
    weight = round(_odds(score) - _odds(grade.score), 4)
    reason = Reason(rule=f"{PREFIX}{move.rule}", weight=weight, subject=move.subject)
    return replace(grade, score=score, level=move.to, reasons=(*grade.reasons, reason))


def by_model(reasons: Sequence[Reason]) -> bool:
    """Whether these reasons include one by a model."""
    return any(reason.rule.startswith(PREFIX) for reason in reasons)


def _odds(score: float) -> float:
    inside = min(max(score, STEP), 1 - STEP)
    return log(inside / (1 - inside))


def move_of(before: Grade, after: Grade) -> LevelOverride | None:
    """The override that leads from one grade to the other, if a model made one."""
    if before.level is after.level or not after.reasons:
        return None
    last = after.reasons[-1]
    rule = last.rule.removeprefix(PREFIX)
    return LevelOverride(rule=rule, of=before.level, to=after.level, subject=last.subject)
