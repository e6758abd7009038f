"""True and false sentences about real changes, made by rule: what ``benchmarks.evidence`` judges.

A true sentence is made of facts, names, numbers and values that the change holds; a false one is a
true one in which a single thing is replaced by what the change does not hold: a near miss of one
letter, one of another change, another number, values swapped. That the change does not hold it is
checked here by plain search, apart from the code that is measured.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from digest.core.enums import Language
from digest.core.facts import Action, FactKind
from digest.llm.change_sheet import HunkIds
from digest.llm.model_input import Material


@dataclass(frozen=True)
class Claim:
    """A sentence about a change, and whether it is true; ``sort`` says how it was made."""

    sort: str
    text: str
    cites: tuple[str, ...]
    true: bool
    language: Language


Values = dict[str, Any]
"""What is put into a template, by slot."""

Occasion = tuple[str, Values, tuple[str, ...]]
"""A sort of sentence, what it says, and what it cites."""
NAME = re.compile(r"\b[A-Za-z_]\w*(?:_\w+|[a-z][A-Z]\w*)\b")
VALUE = re.compile(r"(?<![\w.\"'/-])\d+(?:\.\d+)*(?![\w.\"'/-])")
MEASURED = re.compile(r"(?<![\w.])\d+(?:\.\d+)?\s?(?:%|ms|x|GB|MB|GiB|MiB|seconds?|tokens/s)(?!\w)")

TEMPLATES: dict[str, dict[Language, tuple[str, ...]]] = {
    "added": {
        Language.EN: (
            "Adds {kind} `{name}`.",
            "`{name}` is new in `{path}`.",
            "This change introduces {kind} `{name}` for callers in `{path}`.",
        ),
        Language.ZH: ("新增{kind} `{name}`。", "在 `{path}` 中引入了 `{name}`，供调用方使用。"),
    },
    "removed": {
        Language.EN: (
            "Removes {kind} `{name}`.",
            "`{name}` is no longer available, so code that uses it has to change.",
        ),
        Language.ZH: ("移除{kind} `{name}`。", "不再提供 `{name}`，依赖它的代码需要修改。"),
    },
    "shift": {
        Language.EN: (
            "Changes `{name}` from `{before}` to `{after}`.",
            "`{name}` now uses `{after}` instead of `{before}`.",
            "Replaces `{before}` with `{after}` in `{path}`.",
        ),
        Language.ZH: (
            "将 `{name}` 从 `{before}` 改为 `{after}`。",
            "`{path}` 中的 `{before}` 被替换为 `{after}`。",
        ),
    },
    "value": {
        Language.EN: (
            "`{name}` works with a value of {number}.",
            "The code in `{path}` sets `{name}` beside the number {number}.",
        ),
        Language.ZH: ("`{name}` 使用的数值是 {number}。",),
    },
    "measure": {
        Language.EN: ("The author gives a figure of {measure}.",),
        Language.ZH: ("作者给出的数据为 {measure}。",),
    },
    "names": {
        Language.EN: (
            "The new code relies on `{name}` and `{other}`.",
            "Callers of {name} have to look at {other} as well.",
            "Both `{name}()` and `{other}` are involved when requests are handled.",
        ),
        Language.ZH: ("新代码依赖 `{name}` 和 `{other}`。", "调用 {name} 的代码也应检查 {other}。"),
    },
    "path": {
        Language.EN: (
            "The work happens in `{path}`.",
            "Whoever maintains {path} should read this change.",
            "`{base}` is reworked, the rest of `{folder}` stays as it is.",
        ),
        Language.ZH: ("改动位于 `{path}`。", "`{folder}` 下的 `{base}` 有所调整。"),
    },
    "count": {
        Language.EN: ("The change touches {files} files and adds {added} lines.",),
        Language.ZH: ("本次改动涉及 {files} 个文件，新增 {added} 行。",),
    },
}
KINDS = {
    FactKind.FLAG: ("the command-line flag", "命令行参数"),
    FactKind.ENVIRONMENT: ("the environment variable", "环境变量"),
    FactKind.CONFIG: ("the config field", "配置项"),
    FactKind.SYMBOL: ("the", ""),
    FactKind.METRIC: ("the metric", "指标"),
}


class Writer:
    """Writes claims about one change; ``strange`` gives names of other changes."""

    def __init__(self, material: Material, strange: Sequence[str], seed: int) -> None:
        self.material = material
        self.random = random.Random(seed)
        self.strange = strange
        self.places = HunkIds(material.change)
        self.text = "\n".join(
            [
                material.change.commit.message,
                *(f.path for f in material.change.files),
                *(f.old_path or "" for f in material.change.files),
                *(
                    line
                    for f in material.change.files
                    for h in f.hunks
                    for line in (h.section, *h.removed, *h.added)
                ),
                *(
                    value
                    for item in material.facts.items
                    for value in (item.name, item.before or "", item.after or "")
                ),
            ]
        )

    def claims(self, language: Language) -> Iterator[Claim]:
        """True and false claims of every sort that the change gives rise to."""
        for sort, values, cites in self._occasions():
            template = self.random.choice(TEMPLATES[sort][language])
            kind = values.get("kind")
            words = KINDS.get(kind, ("", "")) if kind else ("", "")
            said = {**values, "kind": words[language is Language.ZH]}
            if said["kind"] == "the" and language is Language.EN:
                said["kind"] = ""
            slots = re.findall(r"\{(\w+)\}", template)
            yield Claim(sort, _tidy(template.format(**said)), cites, True, language)
            for how, changed in self._corrupted(sort, said, slots, marked="`" in template):
                text = _tidy(template.format(**changed))
                yield Claim(f"{sort}:{how}", text, cites, False, language)

    def _occasions(self) -> Iterator[Occasion]:
        files = self.material.facts.files
        yield from self._of_facts()
        yield from self._of_lines()
        for at, file in self.random.sample(list(enumerate(files, 1)), min(2, len(files))):
            folder, _, base = file.path.rpartition("/")
            if folder and file.path.isascii():
                values = {"path": file.path, "base": base, "folder": folder + "/"}
                yield "path", values, (f"F{at}",)
        if len(files) > 2:
            added = sum(f.added for f in files)
            yield "count", {"files": str(len(files)), "added": str(added)}, ("M",)

    def _of_facts(self) -> Iterator[Occasion]:
        for item in self.material.facts.items[:12]:
            if item.kind not in KINDS or not item.evidence.path:
                continue
            values = {"name": item.name, "path": item.evidence.path, "kind": item.kind}
            cites = (self.places.id_of(item.evidence),)
            if item.action is Action.ADDED:
                yield "added", values, cites
            elif item.action is Action.REMOVED:
                yield "removed", values, cites
            elif item.before and item.after and item.before != item.after:
                short = max(len(item.before), len(item.after)) < 30
                said = {**values, "before": item.before, "after": item.after}
                yield from [("shift", said, cites)] if short and "`" not in item.before else []

    def _of_lines(self) -> Iterator[Occasion]:
        hunks = [
            (f, h, f"F{a}.H{b}")
            for a, f in enumerate(self.material.change.files, 1)
            for b, h in enumerate(f.hunks, 1)
        ]
        for file, hunk, cite in self.random.sample(hunks, min(6, len(hunks))):
            if not file.path.isascii():
                continue
            names = NAME.findall("\n".join(hunk.added)[:4000])
            if len(set(names)) > 1:
                one, other = self.random.sample(sorted(set(names)), 2)
                yield "names", {"name": one, "other": other}, (cite,)
            for line in hunk.added[:40]:
                found, numbers = NAME.findall(line), VALUE.findall(line)
                if found and numbers:
                    values = {"name": found[0], "number": numbers[0], "path": file.path}
                    yield "value", values, (cite,)
                    break
            if len(hunk.removed) == len(hunk.added) == 1:
                yield from self._pair(hunk.removed[0], hunk.added[0], file.path, cite)
        for measure in MEASURED.findall(self.material.change.commit.message)[:2]:
            yield "measure", {"measure": measure}, ("M",)

    def _pair(self, old: str, new: str, path: str, cite: str) -> Iterator[Occasion]:
        """One line that became another, where a single word differs."""
        before, after = re.findall(r"[\w.]+", old), re.findall(r"[\w.]+", new)
        if len(before) != len(after):
            return
        differ = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
        names = [n for n in NAME.findall(new) if n in NAME.findall(old)]
        if len(differ) == 1 and names and all(len(x) < 30 for x in differ[0]):
            values = {"name": names[0], "before": differ[0][0], "after": differ[0][1], "path": path}
            if names[0] not in differ[0]:
                yield "shift", values, (cite,)

    def _corrupted(
        self, sort: str, values: Values, slots: Sequence[str], *, marked: bool
    ) -> Iterator[tuple[str, Values]]:
        """The values with one thing in them made false, and how."""
        for slot in ("name", "other"):
            if slot in slots:
                for miss in (self._near(values[slot]), self._foreign(values[slot])):
                    # Without backticks only what looks like code is told from plain words.
                    if miss and (NAME.fullmatch(miss) or sort != "names" or marked):
                        yield f"{slot}", {**values, slot: miss}
        if "path" in slots and (miss := self._near_path(values["path"])):
            yield "path", {**values, "path": miss}
        if sort == "path" and "base" in slots and (miss := self._near_path(values["base"])):
            yield "base", {**values, "base": miss}
        if "number" in slots and (miss := self._number(values["number"])):
            yield "number", {**values, "number": miss}
        if "number" in slots and (miss := self._elsewhere(values["name"])):
            yield "misbound", {**values, "number": miss}
        if "measure" in slots and (miss := self._number(values["measure"])):
            yield "measure", {**values, "measure": miss}
        if sort == "shift":
            yield "swapped", {**values, "before": values["after"], "after": values["before"]}
            for slot in ("before", "after"):
                value = values[slot]
                miss = self._number(value) if value[:1].isdigit() else self._near(value)
                if miss:
                    yield slot, {**values, slot: miss}
        if sort == "count":
            yield "files", {**values, "files": str(int(values["files"]) + len(self.text) % 7 + 300)}
            yield "lines", {**values, "added": str(int(values["added"]) * 3 + 1717)}

    def _elsewhere(self, name: str) -> str:
        """A number of the change that stands in no hunk with the name."""
        hunks = [
            "\n".join((h.section, *h.removed, *h.added))
            for f in self.material.change.files
            for h in f.hunks
        ]
        near = "\n".join([*(h for h in hunks if name in h), self.material.change.commit.message])
        far = VALUE.findall("\n".join(h for h in hunks if name not in h)[:20000])
        return next((n for n in far if len(n) > 1 and n not in near), "")

    def _absent(self, name: str) -> bool:
        return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", self.text) is None

    def _near(self, name: str) -> str:
        """The name with one small thing wrong, of which the change has nothing."""
        bare = name.lstrip("-_")
        head = name[: len(name) - len(bare)]
        if len(bare) < 4 or not bare.isascii():
            return ""
        at = self.random.randrange(1, len(bare) - 1)
        misses = [
            bare[:at] + bare[at + 1 :],
            bare[:at] + bare[at + 1] + bare[at] + bare[at + 2 :],
            bare + "s" if not bare.endswith("s") else bare[:-1],
            bare.replace("_", "", 1) if "_" in bare else bare + "_v2",
            bare.swapcase() if "_" in bare else bare[0].swapcase() + bare[1:],
            "use_" + bare,
        ]
        self.random.shuffle(misses)
        for miss in misses:
            if head + miss != name and miss.strip("_") and self._absent(head + miss):
                return head + miss
        return ""

    def _foreign(self, name: str) -> str:
        """A name of another change."""
        for _ in range(8):
            other = self.random.choice(self.strange)
            if other.startswith("-") == name.startswith("-") and self._absent(other):
                return other
        return ""

    def _near_path(self, path: str) -> str:
        folder, slash, base = path.rpartition("/")
        stem, dot, ending = base.rpartition(".")
        misses = [
            f"{folder}{slash}{stem}_utils{dot}{ending}",
            f"{folder}{slash}{stem[:-1]}{dot}{ending}",
            f"{folder}s{slash}{base}" if slash else f"x{base}",
            f"{folder}{slash}{stem}{dot}{'rs' if ending == 'py' else 'py'}",
        ]
        self.random.shuffle(misses)
        return next((m for m in misses if dot and stem and m not in self.text), "")

    def _number(self, number: str) -> str:
        """Another number, of which the change has nothing."""
        digits = re.match(r"\d+(?:\.\d+)*", number)
        if digits is None:
            return ""
        head, rest = digits[0], number[digits.end() :]
        whole, _, _ = head.partition(".")
        for step in (1, 3, -1, 7, 11, 40, 100, 1003):
            value = int(whole) + step
            other = f"{value}{head[len(whole) :]}"
            if value > 2 and re.search(rf"(?<![\d.]){re.escape(other)}(?!\d)", self.text) is None:
                return other + rest
        return ""


def _tidy(text: str) -> str:
    return re.sub(r" {2,}", " ", text)


def strange_names(materials: Sequence[Material]) -> list[str]:
    """Names of code and flags from all the changes."""
    found: set[str] = set()
    for material in materials:
        found.update(item.name for item in material.facts.items if " " not in item.name)
        for file in material.change.files[:5]:
            for hunk in file.hunks[:5]:
                found.update(NAME.findall("\n".join(hunk.added)[:2000]))
    return sorted(name for name in found if name.isascii() and len(name) > 5)
