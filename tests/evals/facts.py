"""Measures facts against labels that people made by reading the trees.

    python -m tests.evals.facts LABELS... --clone OWNER/NAME=PATH ... [--misses]

A label is one line of JSON: ``repository``, ``commit``, ``sort`` (flag, variable, setting, metric,
route, dependency, symbol), ``action`` (added, removed, renamed, moved, default_changed, deprecated,
none), ``name``, and ``before``, ``after``, ``replacement``, ``owned`` where they say something.

A told action is right if a label of its name has it; the labels of a commit list every fact but
those of additions, so what no label names is wrong. Recall counts labels that were told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.git.open_source import open_source
from digest.analysis.wording import is_pin
from digest.core.facts import Action, Area, Fact, FactKind, Facts
from digest.facts.extract import extract, wanted_blobs
from digest.facts.paths import area_of
from handlers.digests.tree_facts import settle

GRAVE = ("removed", "renamed", "default_changed", "deprecated")
"""The actions that readers act on: each must be right."""

TOLD = (*GRAVE, "added")
"""The actions of labels; ``moved`` and ``none`` mean that nothing grave may be reported."""

_KINDS = {
    "flag": {FactKind.FLAG, FactKind.CONFIG},
    "variable": {FactKind.ENVIRONMENT, FactKind.CONFIG},
    "setting": {  # a field of arguments is reported as the flag derived from it
        *(FactKind.CONFIG, FactKind.SYMBOL, FactKind.ENVIRONMENT, FactKind.SCHEMA, FactKind.FLAG)
    },
    "metric": {FactKind.METRIC},
    "route": {FactKind.ROUTE},
    "dependency": {FactKind.DEPENDENCY, FactKind.TOOLCHAIN},
    "symbol": {FactKind.SYMBOL, FactKind.CONFIG, FactKind.SCHEMA},
}

_ASIDE = {Area.CI, Area.TESTS, Area.EXAMPLES, Area.BENCHMARKS}

_ALSO = {"rust-version": "rust"}

_DEFAULTS = ("default", "value")

Label = Mapping[str, Any]


def right(label: Label, action: str, fact: Fact) -> bool:
    """Whether a label confirms an action, with its values if the label has some."""
    if label["action"] != action or not label.get("owned", True):
        return False
    if action != "default_changed":
        return True
    if label["sort"] == "dependency":  # labels give one of several packages' old versions
        return _alike(_plain(label.get("after", "")), _plain(fact.after or "any"))
    return all(
        label.get(side) in (None, "None") or _alike(_plain(label[side]), _plain(value))
        for side, value in (("before", fact.before or ""), ("after", fact.after or ""))
        if value
    )


def lines(paths: Iterable[Path]) -> Iterator[Label]:
    """The labels of files, one after another."""
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            yield json.loads(line)


@dataclass(slots=True)
class Score:
    """How many reported facts are right, and how many expected ones were reported."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="+", type=Path)
    parser.add_argument("--clone", action="append", default=[], metavar="OWNER/NAME=PATH")
    parser.add_argument("--misses", action="store_true", help="list what was missed or wrong")
    args = parser.parse_args()
    clones = dict(one.split("=", 1) for one in args.clone)
    labels: dict[str, list[Label]] = defaultdict(list)
    for path in args.labels:
        for line in path.read_text("utf-8").splitlines():
            label = json.loads(line)
            labels[label["repository"]].append(label)
    total = Score()
    print("| repository | labels | precision | recall |\n|---|---|---|---|")
    for repository, those in labels.items():
        if repository not in clones:
            print(f"| {repository} | {len(those)} | no clone given | |")
            continue
        facts = asyncio.run(_facts(clones[repository], {label["commit"] for label in those}))
        score = Score()
        judge(those, facts, score)
        print(_row(repository, len(those), score))
        for name in ("right", "wrong", "found", "asked"):
            getattr(total, name).update(getattr(score, name))
        total.lines += score.lines
    print(_row("all", sum(map(len, labels.values())), total))
    for action in TOLD:
        print(
            f"{action}: {total.right[action]} right, {total.wrong[action]} wrong;"
            f" {total.found[action]} of {total.asked[action]} found"
        )
    if args.misses:
        print("\n".join(total.lines))


def _row(name: str, count: int, score: Score) -> str:
    right, wrong = (sum(c[a] for a in GRAVE) for c in (score.right, score.wrong))
    found, asked = score.found.total(), score.asked.total()
    return (
        f"| {name} | {count} | {right / max(1, right + wrong):.1%} of {right + wrong} "
        f"| {found / max(1, asked):.1%} of {asked} |"
    )


async def _facts(clone: str, commits: Iterable[str]) -> dict[str, Facts]:
    with TemporaryDirectory() as folder:
        _, source = await open_source(clone, Path(folder))
        found: dict[str, Facts] = {}
        async for changes in source.changes(await source.tip(), sorted(commits)):
            blobs = list(dict.fromkeys(b for change in changes for b in wanted_blobs(change)))
            texts = await source.texts(blobs)
            facts = [extract(change, texts) for change in changes]
            settled = await settle(source, changes, facts)
            found.update(zip((c.sha for c in changes), settled, strict=True))
        return found


def judge(labels: Sequence[Label], facts: Mapping[str, Facts], score: Score) -> None:
    """Compare the labels of one repository with the facts of its commits."""
    by_commit: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_commit[label["commit"]].append(label)
    for commit, those in by_commit.items():
        items = facts[commit].items if commit in facts else ()
        told = [(action, f) for f in items if is_contract(f) and (action := action_of(f))]
        for label in those:
            if label["action"] not in TOLD or not label.get("owned", True) or _is_hidden(label):
                continue
            score.asked[label["action"]] += 1
            if (
                any(label["action"] == a and names(label, f) for a, f in told)
                or any(_covers(label, a, f) for a, f in told)
                or any(_shows(label, f) for f in items if is_contract(f))
            ):
                score.found[label["action"]] += 1
            else:
                score.lines.append(f"missed {commit[:10]} {_line(label)}")
        _judge_told(commit, told, those, score)


def is_contract(fact: Fact) -> bool:
    """Whether a fact is about what users depend on, not about internal names and developers' tools."""
    if fact.kind is FactKind.SECURITY:
        return False  # a pattern in the code, which no label is about
    if fact.kind in {FactKind.DEPENDENCY, FactKind.TOOLCHAIN}:
        aside = is_pin(fact) or fact.detail.endswith((" dev", " toolchain", "docker"))
        return not aside and area_of(fact.evidence.path) not in _ASIDE
    if fact.kind is FactKind.DEPRECATION and " " in fact.name:
        return False  # names in the prose of a message cannot be compared
    return fact.public is not False


def _judge_told(
    commit: str, told: Sequence[tuple[str, Fact]], labels: Sequence[Label], score: Score
) -> None:
    for action, fact in told:
        if action not in GRAVE:
            continue
        those = [label for label in labels if names(label, fact)]
        shown = f"{commit[:10]} {action} {fact.kind} {fact.name} {fact.before} -> {fact.after}"
        if not those:
            score.wrong[action] += 1
            score.lines.append(f"unlabelled {shown} ({fact.evidence.path}:{fact.evidence.line})")
        elif any(right(label, action, fact) for label in those):
            score.right[action] += 1
        else:
            score.wrong[action] += 1
            score.lines.append(f"wrong {shown}; labelled {[_line(label) for label in those]}")


def action_of(fact: Fact) -> str:
    """The action of a fact in the terms of the labels; empty for others."""
    if fact.kind is FactKind.DEPRECATION:
        return "deprecated" if fact.action is Action.ADDED else ""
    if fact.action is Action.CHANGED:
        pinned = fact.kind in {FactKind.DEPENDENCY, FactKind.TOOLCHAIN}
        if fact.detail in _DEFAULTS or pinned:
            return "default_changed"
        return "moved" if fact.detail == "moved" else ""
    return fact.action.value


def names(label: Label, fact: Fact) -> bool:
    """Whether a label and a fact are about the same thing, in whatever notation."""
    if fact.kind not in (_KINDS[label["sort"]] | {FactKind.DEPRECATION}):
        return False
    ours = {_key(n) for n in (fact.name, *((fact.before, fact.after) if _renamed(fact) else ()))}
    if fact.kind is FactKind.DEPRECATION:  # labels name only the setting
        ours.add(_key(fact.name.partition("=")[0]))
    theirs = {_key(label["name"])}
    if label["action"] == "renamed":
        theirs |= {_key(label["before"]), _key(label["after"])}
    # Labels name a setting by its section, facts by its class.
    loose = label["sort"] == "setting"
    if label["sort"] == "metric" and fact.kind in {FactKind.METRIC, FactKind.DEPRECATION}:
        # A namespace that is a constant in another file is not read.
        if _renamed(fact) and label["action"] == "renamed":
            pairs = ((label["before"], fact.before), (label["after"], fact.name))
            return all(str(theirs).endswith(str(ours)) for theirs, ours in pairs)
        return label["name"].endswith(fact.name)
    return any(_same(a, b, loose=loose) for a in ours if a for b in theirs)


def _is_hidden(label: Label) -> bool:
    """Whether a label is about a new flag that is hidden from help, which counts as internal."""
    return label["action"] == "added" and str(label.get("note", "")).startswith("hidden")


def _covers(label: Label, action: str, fact: Fact) -> bool:
    """Whether the removal of a type includes a labelled member."""
    owner = _key(label["name"]).rpartition(".")[0]
    name = _key(fact.name)
    gone = label["action"] == action == "removed" and fact.kind is FactKind.SYMBOL
    return gone and bool(owner) and (name == owner or name.endswith(f".{owner}"))


def _shows(label: Label, fact: Fact) -> bool:
    """Whether two signatures of a function show that a labelled parameter was added or removed."""
    function, _, parameter = label["name"].removesuffix(")").partition("(")
    if not parameter or fact.action is not Action.CHANGED or "parameter" not in fact.detail:
        return False
    if not _same(_key(fact.name.removesuffix(".__init__")), _key(function), loose=False):
        return False
    sides = [re.search(rf"\b{re.escape(parameter)}\b", s or "") for s in (fact.before, fact.after)]
    return label["action"] == ("removed" if sides[0] else "added") and None in sides and any(sides)


def _renamed(fact: Fact) -> bool:
    return fact.action is Action.RENAMED


def _same(one: str, other: str, *, loose: bool) -> bool:
    if loose and one.rpartition(".")[2] == other.rpartition(".")[2]:
        return True
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _key(name: str | None) -> str:
    text = (name or "").strip().lstrip("-").replace("__init__.", "").removesuffix(")")
    text = _ALSO.get(text, re.sub(r"::|[/( ]", ".", text))
    return re.sub(r"[-_]", "", text).casefold()


def _alike(one: str, other: str) -> bool:
    same = one in other or other in one or {one, other} in ({"0", "false"}, {"1", "true"})
    return same or (_number(one) is not None and _number(one) == _number(other))


def _number(text: str) -> int | None:
    """The value of a number, or of one that is written as a shift."""
    parts = text.split("<<")
    if not all(map(str.isdecimal, parts)) or len(parts) > 2:
        return None
    return int(parts[0]) << int(parts[1]) if len(parts) > 1 else int(parts[0])


def _plain(text: object) -> str:
    return re.sub(r"[\s\"'_()]", "", str(text)).casefold()


def _line(label: Label) -> str:
    values = " -> ".join(str(label.get(side)) for side in ("before", "after"))
    return f"{label['sort']} {label['action']} {label['name']} {values} {label.get('note', '')}"


if __name__ == "__main__":
    main()
