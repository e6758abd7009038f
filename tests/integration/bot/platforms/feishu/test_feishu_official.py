"""What is written here of Feishu's protocol, held against Feishu's own SDK."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms.feishu.connection import BadFrame, Method, SocketFrame
from bot.platforms.feishu.receiver import opening
from tests.integration.bot.platforms.feishu.test_web_events import KEY, sealed
from tests.servers.feishu import FeishuServer
from tests.servers.feishu_events import APP, SECRET, presses

PROGRAM = Path(__file__).with_name("feishu_official.py")
numbers = st.integers(0, 2**31 - 1)
frames = st.builds(
    SocketFrame,
    method=st.sampled_from([0, 1]),
    service=numbers,
    sequence=st.integers(0, 2**64 - 1),
    log=st.integers(0, 2**64 - 1),
    headers=st.dictionaries(st.text(max_size=20), st.text(max_size=40), max_size=5),
    payload=st.binary(max_size=300),
)


def ask(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


@given(frame=frames)
def test_frames_come_back_as_they_were(frame):
    assert SocketFrame.parse(frame.dump()) == frame


@given(raw=st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_none(raw):
    try:
        SocketFrame.parse(raw)
    except BadFrame:
        return


@given(frame=frames, cut=st.integers(1, 20))
def test_a_frame_cut_short_does_no_harm(frame, cut):
    try:
        SocketFrame.parse(frame.dump()[:-cut])
    except BadFrame:
        return


def test_the_official_codec_reads_our_frames_and_writes_the_same_bytes():
    frame = SocketFrame(
        method=Method.DATA,
        service=33,
        sequence=2**63,
        log=300,
        headers={"type": "event", "名": "值"},
        payload=b'{"code":200}',
    )
    read = json.loads(ask("decode", frame.dump().hex()))
    assert read.pop("again") == frame.dump().hex()
    assert read == {
        "method": 1,
        "service": 33,
        "sequence": 2**63,
        "log": 300,
        "headers": {"type": "event", "名": "值"},
        "payload": '{"code":200}',
    }


@pytest.mark.slow
def test_the_official_client_takes_our_double_for_feishu():
    """So that what our own client is tried against is no fancy of ours."""
    with FeishuServer() as server:
        child = subprocess.Popen(
            [sys.executable, PROGRAM, "listen", server.url, APP, SECRET],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + 30
            while not server.connections:
                assert time.monotonic() < deadline
                time.sleep(0.02)
            reply = server.push(presses("explain", "#1"), pieces=2)
            assert reply == {
                "code": 200,
                "data": {"toast": {"type": "info", "content": "official"}},
            }
        finally:
            child.kill()
            child.communicate()


def test_the_official_decryption_reads_the_same():
    text = sealed({"a": "中文"})
    assert json.loads(ask("decrypt", KEY, text)) == json.loads(opening(KEY)(text))
