"""One change in full, and what stands beside it."""

from __future__ import annotations

import pytest

from digest.core.enums import Language
from digest.core.reference import Reference
from digest.markdown import markdown
from digest.question.intent import Explain
from handlers.questions.explain import explain
from tests.support.fakes import FakeClock, FakeSource, change, context

NOW = FakeClock().now()
CHANGES = [
    change("aaaaaaa1", "Add owners (#2)", {"docs/a.md": 3}, NOW),
    change("bbbbbbb2", "Speed up (#1)", {"src/app.py": 5, "src/web/a.py": 1}, NOW),
]
OWNERS = "src/ @octo/core\nsrc/web/ @a @b @c @d @e @f @g\n"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (Language.EN, "Owners: `@octo/core`, `@a`, `@b`, `@c`, `@d`, `@e` and 2 more"),
        (Language.ZH, "负责人：`@octo/core`、`@a`、`@b`、`@c`、`@d`、`@e` 等 8 项"),
    ],
)
async def test_owners_of_the_files_are_named(language, line):
    source = FakeSource(CHANGES, trees={(CHANGES[0].sha, "docs/CODEOWNERS"): OWNERS})
    ctx = context(source, language=language)
    said = markdown((await explain(Explain(reference=Reference(number=1)), ctx)).document)
    assert line in said.splitlines()
    said = markdown((await explain(Explain(reference=Reference(number=2)), ctx)).document)
    assert line[:3] not in said


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("(cherry picked from commit {sha})", "Cherry-pick of [Speed up"),
        ("Backport.\n\n(cherry picked from commit {sha})\nSigned-off-by: Ada", "Cherry-pick of"),
        ("Like (cherry picked from commit {sha}), in part", ""),
        ("(cherry picked from commit {none})", ""),
    ],
)
async def test_cherry_pick_names_what_it_copies(message, line):
    said = message.format(sha=CHANGES[1].sha, none="f" * 40)
    copy = change("ccccccc3", f"Speed up (#9)\n\n{said}", {"src/app.py": 5}, NOW)
    ctx = context(FakeSource([copy, *CHANGES]))
    await explain(Explain(reference=Reference(number=1)), ctx)
    shown = markdown((await explain(Explain(reference=Reference(number=9)), ctx)).document)
    assert (line in shown) if line else "Cherry-pick" not in shown
