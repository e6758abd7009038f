from datetime import UTC, datetime, timedelta

import pytest

from digest.core.release import (
    ReleaseQuestion,
    asked_release,
    eligible,
    in_series,
    latest,
    spellings,
    version_of,
)


@pytest.mark.parametrize(
    ("tag", "family", "preliminary"),
    [
        ("v0.9.1", "v", False),
        ("v0.9.1rc2", "v", True),
        ("v0.8.5.post1", "v", False),
        ("1.0.0-beta.1", "", True),
        ("engine/v2.0", "engine/v", False),
        ("@acme/kite@2.0.1", "@acme/kite@", False),
        ("v3.0-dev", "v", True),
    ],
)
def test_a_version_is_told_from_its_tag(tag, family, preliminary):
    version = version_of(tag)
    assert (version.family, version.preliminary) == (family, preliminary)


@pytest.mark.parametrize(
    "tag", ["nightly", "stable", "latest-green", "", "--v1.0", "v" + "1" * 200]
)
def test_what_is_no_version_is_none(tag):
    assert version_of(tag) is None


@pytest.mark.parametrize(
    ("topic", "asked"),
    [
        ("v0.9.1", ReleaseQuestion(name="v0.9.1")),
        ("release v0.9.1", ReleaseQuestion(name="v0.9.1")),
        ("version 0.9.1", ReleaseQuestion(name="0.9.1")),
        ("the v0.9.1 release", ReleaseQuestion(name="v0.9.1")),
        ("v0.9.2 版本", ReleaseQuestion(name="v0.9.2")),
        ("v0.9.2 的调度器", ReleaseQuestion(name="v0.9.2", topic="调度器")),
        ("MoE in v0.9.1", ReleaseQuestion(name="v0.9.1", topic="MoE")),
        ("MoE in 25.x", ReleaseQuestion(name="25.x", topic="MoE")),
        ("v1", ReleaseQuestion(name="v1")),
        ("scheduler", None),
        ("python 3.12", None),
        ("3", None),
        ("", None),
    ],
)
def test_a_topic_that_is_a_release_is_read(topic, asked):
    assert asked_release(topic) == asked


def test_a_name_is_looked_for_with_a_v_and_without():
    assert spellings("0.9.1") == ("0.9.1", "v0.9.1")
    assert spellings("v0.9.1") == ("v0.9.1", "0.9.1")


def test_a_preliminary_release_comes_before_a_preliminary_one_alone():
    tags = ["v1.0.0", "v1.1.0rc1", "0.9.0", "nightly", "v1.1.0"]
    assert eligible("v1.1.0", tags) == ("v1.0.0",)
    assert eligible("v1.1.0rc2", tags) == ("v1.0.0", "v1.1.0rc1", "v1.1.0")
    assert eligible("engine/v1.0", ["v1.0.0"]) == ("v1.0.0",)


@pytest.mark.parametrize(
    ("tag", "older", "before"),
    [
        ("v3.14.0", ["v2.55.0", "v0.312.0", "v3.13.0", "v3.13.1"], ("v3.13.0", "v3.13.1")),
        ("v0.313.0", ["v2.55.0", "v0.312.0", "v3.13.0"], ("v0.312.0",)),
        ("v3.0.0", ["v1.8.0", "v2.55.0", "v0.55.0"], ("v2.55.0",)),
        ("v1.0.0", ["v2.0.0"], ("v2.0.0",)),
    ],
)
def test_of_two_lines_of_versions_the_tags_own_comes_before(tag, older, before):
    assert eligible(tag, older) == before


@pytest.mark.parametrize(
    ("tags", "newest"),
    [
        (("v1.2.0", "v1.10.0", "v1.9.9"), "v1.10.0"),
        (("v1.2.9", "v2.0.0"), "v2.0.0"),
        (("engine/v2.0", "v7.1", "engine/v1.9"), "engine/v2.0"),
        (("pool/v1.2", "queue/v1.2", "v0.9", "cli/v1.2", "pool/v1.1", "v0.8"), "v0.9"),
        (("pool/v1.2", "queue/v1.2", "cli/v1.2", "pool/v1.1", "v0.8"), "pool/v1.2"),
        (("v3.0rc1", "nightly", "v2.1"), "v2.1"),
        (("2026.1", "2025.12"), "2026.1"),
        (("v2.0", "v2.0.1"), "v2.0.1"),
        (("nightly",), ""),
        ((), ""),
    ],
)
def test_latest_is_the_highest_of_the_family_that_was_tagged_last(tags, newest):
    assert latest(dict.fromkeys(tags)) == newest


@pytest.mark.parametrize(
    ("name", "days", "newest"),
    [
        ("acme/pool", {"pool-queue-v0.2": 9, "pool-v1.4": 8, "v1.0": 7}, "pool-v1.4"),
        ("acme+pool", {"core-v2.4": 9, "pool-v1.4": 1}, "pool-v1.4"),
        ("acme/pool", {"core-v2.4": 300, "v1.4": 299, "v1.5": 298}, "v1.5"),
        ("acme/pool", {"core-v2.4": 300, "pool-v1.4": 1}, "core-v2.4"),
        ("acme/kite", {"core-v2.4": 9, "pool-v1.4": 8}, "core-v2.4"),
        ("acme/kite", {"@acme/docs@2.4": 9, "@acme/kite@1.4": 8}, "@acme/kite@1.4"),
    ],
)
def test_latest_of_several_packages_is_of_the_one_with_the_name_of_the_repository(
    name, days, newest
):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert latest({tag: start + timedelta(days=n) for tag, n in days.items()}, name) == newest


def test_a_series_is_from_its_first_to_its_latest_final_release():
    tags = ["0.12.5", "0.12.10", "v0.12.0", "0.11.9", "0.12.11rc1"]
    assert in_series("0.12.x", dict.fromkeys(tags)) == ("v0.12.0", "0.12.10")
    assert in_series("0.13.x", dict.fromkeys(tags)) == ()
