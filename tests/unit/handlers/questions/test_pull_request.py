"""Requests and issues from what is stored and a forge that may be down, both made up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from digest.core.reference import Reference
from digest.core.request import Issue, IssueState, Patch, PullRequest, RequestState
from digest.document import Heading, plain
from digest.errors import ForgeDown, NotOnForge, UnknownChange
from digest.markdown import markdown
from digest.question.intent import Author, Explain, Released, Reviewers, ShowDiff, Why
from handlers.ports.forge_port import KeptRequest
from handlers.questions import answer
from handlers.questions.pull_request import (
    explain_issue,
    explain_requested,
    kept_request,
    lines_about,
    request_of,
    reviews_of,
)
from handlers.router import ask
from tests.support.fakes import REPOSITORY, FakeArchive, FakeSource, change, context, graded

NOW = datetime(2026, 1, 23, 12, tzinfo=UTC)
CHANGE = graded("a", "Add the port (#12)\n\nCloses #3.")
REQUEST = PullRequest(
    number=12,
    title="Add the port",
    state=RequestState.OPEN,
    author="ada",
    created_at=NOW,
    updated_at=NOW,
    head="b" * 40,
)


@dataclass
class Requests:
    """Requests as last seen, by number."""

    kept: dict[int, KeptRequest] = field(default_factory=dict)

    async def load(self, _repository, numbers):
        return {number: self.kept[number] for number in numbers if number in self.kept}

    async def keep(self, _repository, requests, at):
        for one in requests:
            self.kept[one.number] = KeptRequest(request=one, seen_at=at)

    async def keep_graded(self, _repository, request, found, at):
        self.kept[request.number] = KeptRequest(request=request, seen_at=at, graded=found)


@dataclass
class FakeForge:
    """A forge with requests and issues by number; ``down`` is raised by everything."""

    requests: dict[int, PullRequest] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    down: Exception | None = None
    eager: bool = False
    total: int = 1
    patches: int = 0

    def _of(self, held, key):
        if self.down is not None:
            raise self.down
        if key not in held:
            raise NotOnForge("github.com", str(key))
        return held[key]

    async def request(self, number):
        return self._of(self.requests, number)

    async def issue(self, number):
        return self._of(self.issues, number)

    async def change(self, sha):
        return self._of({"c" * 40: change("c", "Only on a fork")}, sha)

    async def patch(self, request):
        self.patches += 1
        return Patch(files=change("b", "Any").files, total=self.total)


def asked(forge: FakeForge | None = None, *kept: KeptRequest, branch=(), archived=()):
    found = context(FakeSource(list(branch)), FakeArchive.of(REPOSITORY, archived), at=NOW)
    requests = Requests({one.request.number: one for one in kept})
    return replace(found, requests=requests, watched=replace(found.watched, forge=forge))


def stored(request: PullRequest = REQUEST, **more) -> KeptRequest:
    return KeptRequest(request=request, seen_at=NOW - timedelta(days=1), **more)


async def explained(number: int, ctx) -> str:
    unknown = UnknownChange(f"#{number}", REPOSITORY.name)
    answer = await explain_requested(Reference(number=number), ctx, unknown)
    return markdown(answer.document)


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (replace(REQUEST, reviewed=True), "nobody has reviewed it yet"),
        (REQUEST, None),
        (None, None),
    ],
)
async def test_that_nobody_reviewed_is_said_only_where_the_forge_was_asked(request_, line):
    ctx = asked(None, *([stored(request_)] if request_ else []))
    told = await reviews_of(CHANGE, ctx)
    assert told is None if line is None else line in plain(told).casefold()
    numberless = replace(
        CHANGE, facts=replace(CHANGE.facts, subject=replace(CHANGE.facts.subject, number=None))
    )
    assert await reviews_of(numberless, ctx) is None


@pytest.mark.parametrize("kind", [ShowDiff, Author, Why, Reviewers, Released])
async def test_any_question_about_an_open_request_tells_that_it_is_open(kind):
    ctx = asked(FakeForge({REQUEST.number: REQUEST}))
    told = markdown((await answer(kind(reference=Reference(number=REQUEST.number)), ctx)).document)
    assert "It is not a change of the branch" in told
    elsewhere = Reference(number=REQUEST.number, repository="other/repo")
    with pytest.raises(UnknownChange):
        await answer(kind(reference=elsewhere), ctx)


@pytest.mark.parametrize(
    ("draft", "state", "said"),
    [
        (True, RequestState.OPEN, True),
        (False, RequestState.OPEN, False),
        (True, RequestState.CLOSED, False),
    ],
)
async def test_only_an_open_request_is_called_a_draft(draft, state, said):
    one = replace(REQUEST, draft=draft, state=state)
    assert (" · draft · " in await explained(12, asked(FakeForge({12: one})))) == said


async def test_merge_request_is_not_looked_for_among_issues():
    forge = FakeForge(issues={7: ISSUE})
    ctx = asked(forge)
    assert "No port" in markdown(
        (await answer(Explain(reference=Reference(number=7)), ctx)).document
    )
    with pytest.raises(UnknownChange, match=r"^!7 is not in"):
        await answer(Explain(reference=Reference(number=7, sign="!")), ctx)


async def test_forge_that_is_down_costs_the_reviews_alone():
    assert await reviews_of(CHANGE, asked(FakeForge(down=ForgeDown("github", "502")))) is None


@pytest.mark.parametrize("state", RequestState)
async def test_lines_about_a_change_are_of_its_merged_request(state):
    ctx = asked(None, stored(replace(REQUEST, state=state, labels=("frontend",))))
    assert bool(lines_about(await kept_request(CHANGE.number, ctx), ctx)) is (
        state is RequestState.MERGED
    )


async def test_request_is_the_one_of_now_and_otherwise_as_last_seen():
    newer = replace(REQUEST, title="Add the ports")
    ctx = asked(FakeForge({12: newer}), stored(graded=CHANGE))
    found = await request_of(12, ctx)
    assert (found.request, found.seen_at, found.graded) == (newer, NOW, CHANGE)
    assert ctx.requests.kept[12].request == newer
    moved = replace(REQUEST, head="d" * 40)
    assert (
        await request_of(12, asked(FakeForge({12: moved}), stored(graded=CHANGE)))
    ).graded is None
    down = FakeForge(down=ForgeDown("github", "502"))
    assert await request_of(12, asked(down, stored())) == stored()
    assert await request_of(12, asked(FakeForge(), stored())) == stored()
    assert await request_of(12, asked(None)) is None
    with pytest.raises(ForgeDown):
        await request_of(12, asked(down))


async def test_diff_is_read_again_only_where_it_or_its_words_changed():
    forge = FakeForge({12: REQUEST})
    ctx = asked(forge)
    first = await explained(12, ctx)
    assert await explained(12, ctx) == first
    assert forge.patches == 1
    for newer in (
        replace(REQUEST, head="d" * 40),
        replace(REQUEST, title="x"),
        replace(REQUEST, body="x"),
    ):
        forge.requests[12] = newer
        await explained(12, ctx)
    assert forge.patches == 4


async def test_diff_that_is_cut_short_comes_from_the_clone_or_says_so():
    forge = FakeForge({12: REQUEST}, total=2)
    assert "1 of" in await explained(12, asked(forge))
    whole = change("b" * 40, "Any", {"src/a.py": 1, "src/b.py": 2})
    shown = await explained(12, asked(forge, branch=[whole]))
    assert "1 of" not in shown
    assert "src/b.py" in shown or "2 files" in shown


async def test_request_is_told_as_last_seen_while_the_forge_is_down():
    down = FakeForge(down=ForgeDown("github", "502"), eager=True)
    shown = await explained(12, asked(down, stored(graded=CHANGE)))
    assert "2026-01-22" in shown
    with pytest.raises(ForgeDown):
        await explained(12, asked(down, stored()))
    with pytest.raises(UnknownChange):
        await explained(12, asked(replace(down, eager=False), stored()))
    with pytest.raises(UnknownChange):
        await explained(12, asked(None, stored()))
    with pytest.raises(UnknownChange):
        await explained(12, asked(FakeForge()))


async def test_commit_of_a_fork_is_told_as_no_change_of_the_branch():
    ctx = asked(FakeForge())
    unknown = UnknownChange("c" * 40, REPOSITORY.name)
    answer = await explain_requested(Reference(sha="c" * 40), ctx, unknown)
    assert "Only on a fork" in markdown(answer.document)
    headings = [block.level for block in answer.document.blocks if isinstance(block, Heading)]
    assert headings[0] == 1
    assert all(level > 1 for level in headings[1:])


ISSUE = Issue(
    number=3,
    title="No port",
    state=IssueState.OPEN,
    author="bob",
    created_at=NOW,
    mentions=(12, 20),
)


async def test_issue_is_told_with_what_closes_and_what_names_it():
    naming = graded("e", "Look into #3 (#10)")
    itself = graded("f", "Something else (#3)")
    another = graded("d", "Look into #30 (#11)")
    ctx = asked(FakeForge(issues={3: ISSUE}), archived=[CHANGE, naming, itself, another])
    answer = await explain_issue(3, ctx)
    assert [row.graded.sha for row in answer.rows] == [CHANGE.sha, naming.sha]
    shown = markdown(answer.document)
    assert shown.startswith("# No port\n")
    assert "#20" in shown
    assert "No port" in shown
    assert "bob" in shown
    assert "No archived change" not in shown
    for archived, said in (([another], True), ([naming], False), ([CHANGE], False)):
        told = await explain_issue(3, asked(FakeForge(issues={3: ISSUE}), archived=archived))
        assert ("No archived change" in markdown(told.document)) is said
    with_closer = replace(ISSUE, closed_by=(naming.sha,), mentions=())
    answer = await explain_issue(3, asked(FakeForge(issues={3: with_closer}), archived=[naming]))
    assert "#20" not in markdown(answer.document)
    assert answer.total == 1


async def test_long_issue_is_told_by_its_beginning():
    body = "\n\n".join(f"Paragraph {n} of many." for n in range(1, 6))
    labels = tuple(f"label-{n}" for n in range(1, 13))
    long = replace(ISSUE, body=body, labels=labels)
    naming = [graded(f"{n:x}", f"Look into #3, part {n} (#{20 + n})") for n in range(1, 13)]
    shown = markdown(
        (await explain_issue(3, asked(FakeForge(issues={3: long}), archived=naming))).document
    )
    assert [n for n in range(1, 6) if f"Paragraph {n} of" in shown] == [1, 2, 3]
    assert [one for one in labels if f"`{one}`" in shown] == [*labels[:10]]
    assert "2 more" in shown
    assert shown.count("Look into") == 10


async def test_issue_that_nobody_knows_is_unknown_and_a_forge_that_is_down_says_so():
    with pytest.raises(UnknownChange):
        await explain_issue(3, asked(FakeForge()))
    with pytest.raises(UnknownChange):
        await explain_issue(3, asked(None))
    down = ForgeDown("github", "502")
    with pytest.raises(UnknownChange):
        await explain_issue(3, asked(FakeForge(down=down)))
    with pytest.raises(ForgeDown):
        await explain_issue(3, asked(FakeForge(down=down, eager=True)))
    answer = await explain_issue(3, asked(FakeForge(down=down, eager=True), archived=[CHANGE]))
    assert answer.total == 1


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("explain #3", "Closed by [Add the port"),
        ("is #3 fixed", "Closed by [Add the port"),
        ("#3 修好了吗", "由 [Add the port"),
        ("who fixed #3", "was written by"),
        ("who fixed issue #3", "was written by"),
        ("which release has #3", "is not in a release yet"),
    ],
)
async def test_a_number_that_a_change_closes_is_an_issue_although_no_forge_tells(question, said):
    fixing = change("a", "Add the port (#12)\n\nCloses #3.")
    other = change("b", "Add a part (#13)\n\nSee #4, and it closes #31.")
    ctx = asked(branch=[other, fixing])
    ctx = replace(ctx, watched=replace(ctx.watched, source=tagged(ctx.watched.source)))
    assert said in markdown((await ask(question, ctx)).document)
    assert isinstance((await ask("explain #4", ctx)).error, UnknownChange)
    assert [row.graded.number for row in (await ask("explain issue #12", ctx)).rows] == [12]


def tagged(source: FakeSource) -> FakeSource:
    """The branch with a release before all of its changes."""
    begin = change("c", "Begin (#1)", at=NOW - timedelta(days=9))
    return FakeSource([*source.branch_changes, begin], tags={"v1.0.0": begin.sha})
