import pytest

from digest.core.change import Change, FileChange, FileStatus, Hunk, Side
from digest.core.facts import Area, FactKind, Undone
from digest.facts.extract import extract, wanted_blobs
from tests.unit.digest.facts.changes import blob, commit, facts_of, file

MESSAGE = """\
[Bugfix][Core] Keep quotes in the parser (#120)

The parser dropped quotes that
stand at the end of a line.

Fixes #77

Signed-off-by: Ada Lovelace <ada@example.org>
Co-authored-by: Bob <bob@example.org>
"""


def test_message_is_taken_apart():
    facts = facts_of(MESSAGE)
    assert facts.subject.number == 120
    assert facts.subject.tags == ("Bugfix", "Core")
    assert facts.paragraphs == ("The parser dropped quotes that stand at the end of a line.",)
    assert facts.trailers[0] == ("Signed-off-by", "Ada Lovelace <ada@example.org>")
    assert facts.co_authors == ("Bob",)
    assert facts.issues == (77,)
    assert not facts.merge


def test_merge_is_told_by_its_request():
    change = Change(
        commit=commit("Merge pull request #5 from bob/fix\n\nFix it\n\nWhy it broke.", parents=2),
        files=(),
    )
    facts = extract(change, {})
    assert (facts.subject.title, facts.subject.number, facts.merge) == ("Fix it", 5, True)
    assert facts.paragraphs == ("Why it broke.",)
    assert facts.issues == ()


def test_revert_is_not_listed_among_the_issues():
    facts = facts_of('Revert "Add it (#5)" (#9)\n\nThis breaks #7.')
    assert facts.reverts == Undone(number=5, title="Add it")
    assert facts.issues == (7,)


def test_items_stand_by_file_and_line_and_the_message_last():
    facts = facts_of(
        "Fix CVE-2026-1234",
        ("z/requirements.txt", "a==1\nb==1\n", "a==2\nb==2\n"),
        ("a/Dockerfile", "FROM x:1\n", "FROM x:2\n"),
    )
    assert [(i.evidence.path, i.evidence.line) for i in facts.items] == [
        ("z/requirements.txt", 1),
        ("z/requirements.txt", 2),
        ("a/Dockerfile", 1),
        ("", 1),
    ]
    assert facts.items[-1].evidence.side is Side.MESSAGE


def test_names_that_nobody_could_use_are_passed_over():
    written = f"def plain(): ...\ndef {'g' * 5000}(): ...\n"
    facts = facts_of(
        f"Add (#1)\n\nCo-authored-by: {'A' * 5000} <a@example.org>", ("src/a.py", "", written)
    )
    assert [item.name for item in facts.items] == ["plain"]
    assert facts.co_authors == ("A" * 200,)


def test_every_line_of_evidence_exists():
    old = "a==1\nb==1\nc==1\n"
    new = "a==2\nx==1\nc==1\nd==1\n"
    facts = facts_of("Move", ("requirements.txt", old, new))
    lines = {Side.OLD: old.splitlines(), Side.NEW: new.splitlines()}
    assert len(facts.items) == 4
    for fact in facts.items:
        assert fact.name in lines[fact.evidence.side][fact.evidence.line - 1]


def test_nothing_is_read_of_what_nobody_here_wrote():
    text = "x = pickle.loads(y)\n"
    facts = facts_of(
        "Add",
        ("vendor/a.py", None, text),
        ("a_pb2.py", None, text),
        ("uv.lock", None, text),
    )
    assert facts.items == ()
    assert [f.area for f in facts.files] == [Area.VENDORED, Area.GENERATED, Area.LOCKFILE]


def test_files_without_lines_are_listed_only():
    change = Change(
        commit=commit("Add"),
        files=(
            FileChange(
                path="a.py", status=FileStatus.MODIFIED, omitted=True, old_id="a", new_id="b"
            ),
            FileChange(path="b.png", status=FileStatus.ADDED, binary=True, new_id="c"),
            FileChange(
                path="link",
                status=FileStatus.ADDED,
                new_id="d",
                new_mode="120000",
                hunks=(Hunk(old_start=0, new_start=1, removed=(), added=("pickle.loads(x)",)),),
            ),
        ),
    )
    facts = extract(change, {})
    assert wanted_blobs(change) == ()
    assert facts.items == ()
    assert [(f.omitted, f.binary) for f in facts.files] == [
        (True, False),
        (False, True),
        (False, False),
    ]


def test_wanted_names_both_sides_of_manifests_and_code_once():
    files = [
        ("Cargo.toml", '[dependencies]\na = "1"\n', '[dependencies]\na = "2"\n'),
        ("README.md", "a\n", "b\n"),
        ("vendor/Cargo.toml", "a = 1\n", "a = 2\n"),
        ("sub/Cargo.toml", '[dependencies]\na = "1"\n', '[dependencies]\na = "2"\n'),
    ]
    change = Change(commit=commit("Bump"), files=tuple(file(*f) for f in files))
    assert wanted_blobs(change) == (blob(files[0][1]), blob(files[0][2]))


def test_wanted_is_bounded_in_a_change_of_many_files():
    files = tuple(
        file(f"p{n}/Cargo.toml", f"a = {n}\n", f"a = {n}{n}\n" * (n + 1)) for n in range(500)
    )
    names = wanted_blobs(Change(commit=commit("Move everything"), files=files))
    assert len(names) == 128
    assert files[-1].new_id in names
    assert files[0].new_id not in names


def test_texts_that_are_absent_make_facts_fewer_only():
    change = Change(
        commit=commit("Bump"),
        files=(
            file("Cargo.toml", '[dependencies]\na = "1"\n', '[dependencies]\na = "2"\n'),
            file("Dockerfile", "FROM x:1\n", "FROM x:2\n"),
        ),
    )
    assert [i.name for i in extract(change, {}).items] == ["x"]


def test_extract_of_an_empty_change_fails_at_nothing():
    facts = facts_of("")
    assert (facts.subject.title, facts.paragraphs, facts.files) == ("", (), ())


def test_kinds_of_code_are_found_beside_those_of_manifests():
    facts = facts_of(
        "Add a flag",
        (
            "pkg/cli.py",
            "p = ArgumentParser()\n",
            "p = ArgumentParser()\np.add_argument('--fast')\n",
        ),
    )
    assert [(i.kind, i.name) for i in facts.items] == [(FactKind.FLAG, "--fast")]


@pytest.mark.parametrize(
    ("title", "before", "after", "told"),
    [
        ("Prepare release 1.3", '"v1.2.0"', '"v1.3.0"', False),
        ("Read another format", '"v1.2.0"', '"v1.3.0"', True),
        ("Export the default", "defaultPool", "DefaultPool", False),
        ("Prepare release 1.3", "old_pool", "new_pool", True),
    ],
)
def test_version_that_is_released_and_another_spelling_are_no_other_default(
    title, before, after, told
):
    text = "class PoolConfig(BaseModel):\n    pool: str = {}\n"
    file = ("app/config.py", text.format(before), text.format(after))
    assert bool(facts_of(title, file).items) is told
