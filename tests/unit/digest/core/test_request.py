"""What a request says it closes, and how its reviews and its diff are taken."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.request import (
    Patch,
    PullRequest,
    RequestState,
    Reviewer,
    ReviewVerdict,
    as_change,
    closing,
    final,
    refreshed,
)
from digest.diff.unified_diff import before, read_hunks
from digest.facts.extract import extract
from digest.topics.index_terms import label_topics

NOW = datetime(2026, 1, 23, tzinfo=UTC)
REQUEST = PullRequest(
    number=12,
    title="Fuse",
    state=RequestState.MERGED,
    author="ada",
    created_at=NOW,
    updated_at=NOW,
    body="The kernels are launched once.",
    base="main",
    head="a" * 40,
    merge_commit="b" * 40,
    merged_at=NOW,
    labels=("x", "\ud800"),
    issues=(3,),
    reviewers=(Reviewer(name="bob", verdict=ReviewVerdict.APPROVED),),
    reviewed=True,
    files=3,
)


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ("Fixes #1", (1,)),
        ("closes: #1, resolved #2 and FIX #1", (1, 2)),
        ("Fixes octo/engine#3, fixes Octo/Engine#4, fixes other/one#5", (3, 4)),
        ("close https://github.com/octo/engine/issues/6", (6,)),
        ("close https://github.com/other/one/issues/6", ()),
        ("#7, see #8, prefixes #9, fixes#10, fixes # 11", ()),
        ("fixes #0 fixes #1234567890123", ()),
        ("", ()),
    ],
)
def test_closing_reads_what_a_forge_would_close(body, numbers):
    assert closing(body, "octo/engine") == numbers


@given(st.text(alphabet="fixes close#/-.:htp1 \n", max_size=400))
def test_closing_takes_any_text(body):
    assert len(closing(body, "octo/engine")) <= 50


def test_final_keeps_the_last_verdict_that_is_no_remark():
    given_ = [
        ("a", ReviewVerdict.APPROVED),
        ("a", ReviewVerdict.COMMENTED),
        ("b", ReviewVerdict.COMMENTED),
    ]
    given_ += [
        ("b", ReviewVerdict.CHANGES_REQUESTED),
        ("c", ReviewVerdict.ASKED),
        ("c", ReviewVerdict.COMMENTED),
    ]
    found = final(Reviewer(name=name, verdict=verdict) for name, verdict in given_)
    assert [(one.name, one.verdict) for one in found] == [
        ("a", ReviewVerdict.APPROVED),
        ("b", ReviewVerdict.CHANGES_REQUESTED),
        ("c", ReviewVerdict.COMMENTED),
    ]


def test_refreshed_keeps_reviewers_only_while_nothing_changed():
    listed = replace(REQUEST, reviewers=(), reviewed=False, files=0)
    assert refreshed(REQUEST, listed) == REQUEST
    later = replace(listed, updated_at=NOW + timedelta(seconds=1))
    assert refreshed(REQUEST, later) == later
    assert refreshed(None, listed) == listed


def test_request_is_a_change_with_its_number_and_words():
    facts = extract(as_change(REQUEST, Patch(files=(), total=0)), {})
    assert (facts.subject.number, facts.subject.title) == (12, "Fuse (#12)")
    assert facts.paragraphs == ("The kernels are launched once.",)


def test_labels_are_found_as_labels_and_by_their_words():
    topics = label_topics(["kv-connector", "ci/build", "!!!"])
    assert {"kvconnector", "connector", "build", "label:kvconnector"} <= topics
    assert "" not in topics


def test_before_takes_back_what_a_patch_did():
    patch = "@@ -1,3 +1,4 @@\n a\n-b\n+B\n+bb\n c\n@@ -9 +10,0 @@\n-z\n"
    after = "a\nB\nbb\nc\nd\ne\nf\ng\nh\ny\n"
    hunks = read_hunks(patch).hunks
    assert before(after, hunks) == "a\nb\nc\nd\ne\nf\ng\nh\ny\nz\n"
    assert before("another text", hunks) is None
