"""Changes fitted into prompts: what is shown, what is left out, and that it is said.

``python -m tests.unit.digest.llm.test_packing`` writes the golden files anew.
"""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from digest.core.change import FileChange, FileStatus, Hunk
from digest.core.enums import Language
from digest.core.facts import Area
from digest.core.grade import Level
from digest.llm.change_sheet import LONG_LINE, cut_into_pieces
from digest.llm.packing import (
    BATCH,
    LINE_TOKENS,
    NoRoom,
    Note,
    lines_prompts,
    merge_prompt,
    prompts_for,
)
from digest.llm.prompt import PromptKind
from digest.llm.prompt_text import Cause, Omission, notes, omissions_in_words
from tests.support import materials
from tests.support.materials import prompt_for, words
from tests.support.speed import within

GOLDEN = Path(__file__).resolve().parents[3] / "data" / "prompts"

LARGE = 1_000_000


def whole(prompt):
    return f"=== system\n{prompt.system}\n=== user\n{prompt.user}\n"


def ids_in(text):
    return set(re.findall(r"^@ (F\d+\.H\d+)", text, re.MULTILINE))


def hunk(n, *, removed=(), added=("x = 1",)):
    return Hunk(old_start=n, new_start=n, removed=tuple(removed), added=tuple(added))


def file(path, hunks, **more):
    return FileChange(
        path=path,
        status=more.pop("status", FileStatus.MODIFIED),
        added=sum(len(h.added) for h in hunks),
        deleted=sum(len(h.removed) for h in hunks),
        hunks=tuple(hunks),
        old_id="1" * 40,
        new_id="2" * 40,
        **more,
    )


def sprawling(files=30, hunks=20, lines=30):
    """A change of many files in every area, with more lines than a small model takes."""
    folders = ("engine/core", "tests/unit", "docs", "engine/api")
    made = [
        file(
            f"{folders[f % 4]}/part_{f}.py",
            [
                hunk(1 + h * 100, added=[f"value_{f}_{h}_{n} = {n}" for n in range(lines)])
                for h in range(hunks)
            ],
        )
        for f in range(files)
    ]
    return materials.material("Spread a thing", *made)


def rendered():
    """Every golden file by its name."""
    found = {
        f"{level}.{language}.txt": prompt_for(materials.pool(level), language, words, LARGE)
        for language in Language
        for level in (Level.HIGH, Level.MEDIUM)
    }
    low = [materials.pool(Level.LOW), materials.versions(), materials.renamed()]
    found["lines.en.txt"] = lines_prompts(low, Language.EN, words, LARGE)[0]
    big = sprawling(files=4, hunks=6, lines=40)
    parts = prompts_for(big, Language.EN, words, 3200, parts=3)
    notes = [Note(about="risk", text="Callers have to pass `value_0_0_1`.", cites=("F1.H1",))]
    found["part.en.txt"] = parts[0]
    found["merge.zh.txt"] = merge_prompt(
        big, notes, Language.ZH, words, 4000, omitted=parts[0].omitted
    )
    return {name: whole(prompt) for name, prompt in found.items()}


@pytest.mark.parametrize("name", sorted(rendered()))
def test_a_prompt_is_as_the_golden_file(name):
    assert rendered()[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_a_change_that_does_not_fit_is_asked_about_in_parts():
    parts = prompts_for(sprawling(files=4, hunks=6, lines=40), Language.EN, words, 3200, parts=3)
    assert [p.kind for p in parts] == [PromptKind.PART] * 3
    assert [re.search(r"part (\d of \d)", p.user)[1] for p in parts] == [
        "1 of 3",
        "2 of 3",
        "3 of 3",
    ]


def test_lines_say_which_change_is_which():
    changes = [materials.pool(Level.LOW), materials.versions()]
    (prompt,) = lines_prompts(changes, Language.EN, words, LARGE)
    assert prompt.shas == tuple(c.sha for c in changes)


def test_what_nobody_here_wrote_is_left_out_and_said():
    prompt = prompt_for(materials.pool(), Language.EN, words, LARGE)
    assert [o.cause for o in prompt.omitted] == [Cause.LOCKFILE]
    assert "lockfile: poetry.lock" in prompt.user
    assert "F4.H" not in prompt.user
    assert (
        omissions_in_words(prompt.omitted, Language.EN)
        == "The model did not see: lock files: poetry.lock."
    )
    assert omissions_in_words(prompt.omitted, Language.ZH) == "模型未读取：锁文件：poetry.lock。"
    assert omissions_in_words((), Language.EN) == ""


@pytest.mark.parametrize("budget", [2000, 4000])
def test_as_many_notes_as_fit_are_joined_with_what_was_not_shown(budget):
    big = sprawling(files=4, hunks=6, lines=40)
    locks = tuple(f"locks/part_{n}.lock" for n in range(budget // 200))
    omitted = (Omission(cause=Cause.LOCKFILE, paths=locks),)
    says = "says what a caller has to do now " * 9
    notes = [Note(about="risk", text=f"Note {n} {says}", cites=("F1.H1",)) for n in range(1, 400)]
    prompt = merge_prompt(big, notes, Language.EN, words, budget, omitted=omitted)
    schema = json.dumps(prompt.schema, ensure_ascii=False, separators=(",", ":"))
    assert words(prompt.system) + words(prompt.user) + words(schema) <= budget
    assert "Note 1 says" in prompt.user
    assert "Note 399 says" not in prompt.user


@pytest.mark.parametrize(("length", "whole"), [(400, True), (401, False)])
def test_a_long_title_is_cut_with_a_mark(length, whole):
    title = "Add " + "a" * (length - 4)
    shown = prompt_for(materials.material(title, ("a.py", "a\n", "b\n")), Language.EN, words, LARGE)
    assert (f"> {title}\n" in shown.user) == whole
    assert (f"> {title[:400]} [...]\n" in shown.user) != whole


def test_characters_of_a_line_that_cannot_be_seen_are_shown_as_escapes():
    made = materials.material("Hide", ("a.py", "a = 1\n", "a = 2\u202e\x1b[2K\nb = 3\tc\n"))
    shown = prompt_for(made, Language.EN, words, LARGE).user
    assert "+a = 2\\u{202e}\\u{001b}[2K\n" in shown
    assert "+b = 3\tc\n" in shown


def test_ids_do_not_depend_on_what_fits():
    big = sprawling()
    few = ids_in(prompt_for(big, Language.EN, words, 3000).user)
    many = ids_in(prompt_for(big, Language.EN, words, 12_000).user)
    assert few < many
    for one in sorted(few)[:5]:
        first = re.search(
            rf"^@ {one}.*\n(.*)", prompt_for(big, Language.EN, words, 12_000).user, re.MULTILINE
        )
        assert first[1] in prompt_for(big, Language.EN, words, 3000).user


def test_hunks_with_facts_come_first_then_code_then_tests_then_documents():
    order = [Area.CORE, Area.TESTS, Area.DOCS]
    change = materials.material(
        "Mix",
        file("docs/a.md", [hunk(1)]),
        file("tests/test_a.py", [hunk(1)]),
        file("engine/plain.py", [hunk(1, added=["pass"])]),
        ("engine/flags.py", "", 'parser.add_argument("--new-flag", default=3)\n'),
    )
    ranked = [change.facts.files[p.file] for p in cut_into_pieces(change, 1000).pieces]
    assert ranked[0].path == "engine/flags.py"
    assert [f.area for f in ranked[1:]] == order


@pytest.mark.parametrize("budget", [2000, 3000, 8000, 20_000])
def test_a_prompt_keeps_to_its_budget_and_names_what_is_missing(budget):
    big = sprawling()
    prompt = prompt_for(big, Language.EN, words, budget)
    schema = json.dumps(prompt.schema)
    assert words(prompt.system) + words(prompt.user) + words(schema) <= budget
    shown = ids_in(prompt.user)
    left = next(o for o in prompt.omitted if o.cause is Cause.SPACE)
    total = sum(len(f.hunks) for f in big.change.files)
    assert len(shown) + left.hunks == total
    added = [row for row in prompt.user.splitlines() if row.startswith("+")]
    assert len(added) + left.lines == 30 * total
    assert "no room" in prompt.user


FLAGS = "".join(f'parser.add_argument("--flag-{n}", default={n})\n' for n in range(200))


@pytest.mark.parametrize(
    ("material", "left"),
    [
        (materials.material("Do it\n\n" + "Says something new.\n\n" * 20 + "And more. " * 900,
                            file("engine/a.py", [hunk(1)])), ""),
        (materials.material("\n\n".join(f"Say {'it ' * 50}{n}." for n in range(20)),
                            file("engine/a.py", [hunk(1)])), "more lines of the message"),
        (sprawling(files=400, hunks=1, lines=1), "more files"),
        (materials.material("Do it", ("engine/flags.py", "", FLAGS)), "more facts"),
    ],
    ids=["paragraph", "message", "files", "facts"],
)  # fmt: skip
def test_no_list_takes_the_room_of_the_diff(material, left):
    shown = prompt_for(material, Language.EN, words, 3000).user
    assert ids_in(shown)
    assert left in shown


def test_parts_together_show_everything_once():
    big = sprawling()
    parts = prompts_for(big, Language.EN, words, 9000, parts=40)
    assert len(parts) > 2
    shown = [re.findall(r"^@ F\d+\.H\d+$", p.user, re.MULTILINE) for p in parts]
    heads = [head for heads in shown for head in heads]
    assert len(heads) == len(set(heads)) == sum(len(f.hunks) for f in big.change.files)
    assert all(p.omitted == () for p in parts)


def test_what_no_part_has_room_for_is_said_by_each():
    parts = prompts_for(sprawling(), Language.EN, words, 3000, parts=2)
    assert len(parts) == 2
    assert parts[0].omitted == parts[1].omitted
    assert parts[0].omitted[0].cause is Cause.SPACE


def test_one_that_fits_is_not_parted():
    (prompt,) = prompts_for(materials.pool(), Language.EN, words, LARGE)
    assert prompt.kind is PromptKind.HIGH


def test_a_budget_without_room_for_any_change_is_an_error():
    with pytest.raises(NoRoom):
        prompt_for(materials.pool(), Language.EN, words, 300)
    with pytest.raises(NoRoom):
        lines_prompts([materials.pool()], Language.EN, words, 300)


def test_tenth_of_the_pieces_is_left_out_until_the_whole_fits():
    big = sprawling(files=5, hunks=6, lines=2)

    def count(text):
        return words(text) + 2 * LARGE * (len(ids_in(text)) > 27)

    (prompt,) = prompts_for(big, Language.EN, count, LARGE)
    assert len(ids_in(prompt.user)) == 27
    assert [(one.cause, one.hunks) for one in prompt.omitted] == [(Cause.SPACE, 3)]


def test_room_for_the_reply_grows_with_the_lines_that_it_holds():
    changes = [materials.pool(Level.LOW), materials.versions(), materials.renamed()]
    (one,), (three,) = (lines_prompts(c, Language.EN, words, LARGE) for c in (changes[:1], changes))
    assert three.output_tokens == 3 * one.output_tokens


def test_what_is_gone_is_told_by_its_beginning():
    gone = file(
        "engine/old.py",
        [hunk(1, removed=[f"line_{n} = {n}" for n in range(500)], added=())],
        status=FileStatus.DELETED,
    )
    prompt = prompt_for(materials.material("Drop it", gone), Language.EN, words, LARGE)
    assert "line_3 = 3" in prompt.user
    assert "line_400" not in prompt.user
    assert "~ and 488 more removed lines" in prompt.user
    assert prompt.omitted[0].lines == 488


@pytest.mark.parametrize("longest", [100, 1000])
def test_every_changed_line_is_shown_or_left_out_once(longest):
    rows = [f"line_{n} = {n}" for n in range(50)]
    cut = cut_into_pieces(
        materials.material("Do it", file("engine/a.py", [hunk(1, removed=rows, added=rows[:9])])),
        longest,
    )
    assert sum(piece.lines for piece in cut.pieces) == 24 + 9
    assert [one.lines for one in cut.omitted] == [26]
    assert (len(cut.pieces) == 1) is (longest == 1000)


def test_large_change_does_not_push_small_ones_out_of_a_prompt_for_lines():
    (prompt,) = lines_prompts([sprawling(), materials.versions()], Language.EN, words, LARGE)
    assert len(prompt.shas) == 2
    assert words(prompt.user) < 2 * LINE_TOKENS


@pytest.mark.parametrize(("paths", "told"), [(3, "p0, p1, p2"), (4, "p0, p1, p2 and 1 more")])
def test_three_paths_are_named_and_the_others_counted(paths, told):
    omitted = Omission(cause=Cause.LARGE, paths=tuple(f"p{n}" for n in range(paths)), lines=7)
    assert notes([omitted]) == [f"lines of too large a patch: {told}, 7 lines"]
    unknown = Omission(cause=Cause.BINARY, paths=omitted.paths)
    assert notes([unknown]) == [f"binary: {told}"]


def test_long_lines_lose_their_ends_and_it_is_said():
    rows = ["a" * 90_000, "b", "c" * 500]
    long = materials.material("Data", file("engine/a.js", [hunk(1, added=rows)]))
    prompt = prompt_for(long, Language.EN, words, LARGE)
    assert f"[and {90_000 - LONG_LINE} more characters]" in prompt.user
    assert len(prompt.user) < 6000
    assert [(one.cause, one.lines) for one in prompt.omitted] == [(Cause.LONG, 2)]


def test_binary_and_absent_files_are_said():
    change = materials.material(
        "Pictures",
        dataclasses.replace(file("engine/a.bin", []), binary=True),
        dataclasses.replace(file("engine/b.py", []), omitted=True),
    )
    prompt = prompt_for(change, Language.EN, words, LARGE)
    assert [o.cause for o in prompt.omitted] == [Cause.BINARY, Cause.ABSENT]


def test_lines_are_asked_for_in_batches_that_fit():
    changes = [
        materials.material(f"Change {n}", ("engine/a.py", "", f"x_{n} = 1\n")) for n in range(30)
    ]
    prompts = lines_prompts(changes, Language.EN, words, LARGE)
    assert [len(p.shas) for p in prompts] == [BATCH, BATCH, 6]
    assert [sha for p in prompts for sha in p.shas] == [c.sha for c in changes]
    for prompt in prompts:
        assert re.findall(r"^# Commit (C\d+)", prompt.user, re.MULTILINE) == [
            f"C{n}" for n in range(1, len(prompt.shas) + 1)
        ]
    small = lines_prompts([sprawling(), *changes], Language.EN, words, 2600)
    assert all(words(p.system) + words(p.user) <= 2600 for p in small)
    assert sum(len(p.shas) for p in small) == 31


def test_a_megabyte_is_fitted_quickly():
    big = sprawling(files=140, hunks=40, lines=10)
    size = sum(len(line) for f in big.change.files for h in f.hunks for line in h.added)
    assert size > 900_000
    assert len(prompts_for(big, Language.EN, words, 100_000)) > 1
    assert within(0.6, lambda: prompts_for(big, Language.EN, words, 100_000))


if __name__ == "__main__":
    for name, text in rendered().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
