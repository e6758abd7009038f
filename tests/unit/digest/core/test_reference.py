import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.reference import Reference, parse_reference
from digest.errors import InvalidReference

SHA = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#12", Reference(number=12)),
        ("12", Reference(number=12)),
        (" 12 ", Reference(number=12)),
        ("!12", Reference(number=12)),
        ("GH-12", Reference(number=12)),
        ("#0012", Reference(number=12)),
        ("#1234567", Reference(number=1234567)),
        ("1234567", Reference(sha="1234567")),
        ("0000012", Reference(sha="0000012")),
        ("owner/name#12", Reference(number=12, repository="owner/name")),
        ("group/sub/name!12", Reference(number=12, repository="group/sub/name")),
        ("0a1b2c3", Reference(sha="0a1b2c3")),
        (SHA.upper(), Reference(sha=SHA)),
        (SHA + SHA[:24], Reference(sha=SHA + SHA[:24])),
        (f"owner/name@{SHA}", Reference(sha=SHA, repository="owner/name")),
        ("https://github.com/o/n/pull/12", Reference(number=12, repository="o/n")),
        ("http://github.com/o/n/pull/12/", Reference(number=12, repository="o/n")),
        ("https://github.com/o/n/pull/12/files#diff-1", Reference(number=12, repository="o/n")),
        ("https://github.com/o/n/pull/12?w=1", Reference(number=12, repository="o/n")),
        ("https://github.com/o/n/pull/12.diff", Reference(number=12, repository="o/n")),
        (f"https://github.com/o/n/pull/12/commits/{SHA}", Reference(sha=SHA, repository="o/n")),
        (f"https://github.com/o/n/commit/{SHA}", Reference(sha=SHA, repository="o/n")),
        ("https://gitlab.com/g/s/n/-/merge_requests/9", Reference(number=9, repository="g/s/n")),
        (f"https://gitlab.com/g/n/-/commit/{SHA}", Reference(sha=SHA, repository="g/n")),
        ("https://git.example.org:3000/o/n/pulls/9", Reference(number=9, repository="o/n")),
        ("<https://github.com/o/n/pull/12>", Reference(number=12, repository="o/n")),
    ],
)
def test_parse_reference_reads_every_form(text, expected):
    assert parse_reference(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#",
        "#0",
        "0",
        "-1",
        "--exec=sh",
        "HEAD",
        "main",
        "abc123",
        "0a1b2cg",
        "#12a",
        "#9999999999",
        SHA + "0",
        "https://github.com/o/n",
        "https://github.com/pull/12",
        "ext::sh -c reboot",
        "../../etc/passwd",
        "#１２",
        "x" * 5000,
        "a/" * 2000,
    ],
)
def test_parse_reference_refuses_what_names_no_change(text):
    with pytest.raises(InvalidReference) as caught:
        parse_reference(text)
    assert len(str(caught.value)) < 300


@given(st.text(max_size=80))
def test_parse_reference_reads_back_what_it_read(text):
    with contextlib.suppress(InvalidReference):
        reference = parse_reference(text)
        assert parse_reference(str(reference)) == reference


def test_reference_names_exactly_one_thing():
    with pytest.raises(ValueError, match="a number or a commit"):
        Reference()
    with pytest.raises(ValueError, match="a number or a commit"):
        Reference(number=1, sha="0a1b2c3")


@pytest.mark.parametrize(
    ("written", "repository", "number"),
    [
        ("https://github.com/o/n/issues/12", "o/n", 12),
        ("https://github.example.org:8443/o/n/issues/12#issuecomment-1", "o/n", 12),
        ("https://gitlab.example.org/g/s/p/-/issues/3", "g/s/p", 3),
        ("https://gitlab.com/g/p/-/work_items/3", "g/p", 3),
        ("https://codeberg.org/o/n/issues/9", "o/n", 9),
        ("issue #12", "", 12),
        ("issue 12", "", 12),
        ("issue o/n#12", "o/n", 12),
        ("问题 #12", "", 12),
    ],
)
def test_parse_reference_reads_an_issue(written, repository, number):
    reference = parse_reference(written)
    assert reference == Reference(number=number, repository=repository, issue=True)
    assert parse_reference(str(reference)) == reference


@pytest.mark.parametrize(
    "written",
    [
        "https://github.example.org/o/n/pull/7/files",
        "https://git.example.org:3000/o/n/pulls/7",
        "https://git.example.org/o/n/-/merge_requests/7/diffs?tab=1",
    ],
)
def test_parse_reference_reads_a_request_of_a_host_of_ones_own(written):
    assert parse_reference(written) == Reference(number=7, repository="o/n")


@pytest.mark.parametrize("written", ["!12", "g/s/n!12", "#12", "g/s/n#12"])
def test_number_is_written_again_with_its_sign(written):
    assert str(parse_reference(written)) == written


def test_merge_request_is_written_with_the_sign_of_gitlab():
    assert str(parse_reference("https://gitlab.com/g/n/-/merge_requests/9")) == "g/n!9"
