"""Settings of an account, and chats as they are written."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError

from bot.messaging.sender import SendError, SendReason
from bot.platforms.telegram import Config, create
from bot.platforms.telegram.menu import ChatPlace, place_of
from bot.platforms.telegram.sender import Telegram
from bot.util.section import SectionContext

TOKEN = "123456:AAsecretSECRETsecret-0123456789abcde"


def test_the_token_is_read_from_its_file_and_never_shown(tmp_path):
    (tmp_path / "token").write_text(TOKEN + "\n")
    config = Config.model_validate({"token_file": "token"}, context=SectionContext(folder=tmp_path))
    assert config.token.get_secret_value() == TOKEN
    assert TOKEN not in repr(config)
    sender = create(config)
    assert isinstance(sender, Telegram)
    assert TOKEN not in repr(vars(sender))


@pytest.mark.parametrize(
    "token", ["", "abcd", "987654", "987654:", ":abcd", f"{TOKEN} x", "1:a/../b"]
)
def test_half_a_token_is_refused_without_being_told(token):
    with pytest.raises(ValidationError, match="BotFather") as raised:
        Config(token=token)
    assert not token or token not in str(raised.value)


def test_another_server_is_an_address():
    assert Config(token=TOKEN, api="http://127.0.0.1:8081/").api == "http://127.0.0.1:8081"
    with pytest.raises(ValidationError, match="api"):
        Config(token=TOKEN, api="telegram.org")


@pytest.mark.parametrize(
    ("chat", "place"),
    [
        ("-1001234567890", ChatPlace(-1001234567890)),
        ("42", ChatPlace(42)),
        ("@news_channel", ChatPlace("@news_channel")),
        (" -100/5 ", ChatPlace(-100, 5)),
        ("-100/1", ChatPlace(-100)),
        ("@public_forum/7", ChatPlace("@public_forum", 7)),
    ],
)
def test_a_chat_is_an_id_or_a_name_with_a_topic(chat, place):
    assert place_of(chat) == place
    assert place_of(str(place)) == place


@pytest.mark.parametrize(
    "chat", ["", "news", "@ab", "12a", "-100/x", "-100/", "@name/5/6", "٣", "1" * 30, "@a b/../x"]
)
def test_anything_else_is_no_chat_and_the_error_says_how_to_write_one(chat):
    with pytest.raises(SendError, match="@channel") as raised:
        place_of(chat)
    assert raised.value.reason is SendReason.NO_CHANNEL


@pytest.mark.parametrize(("place", "group"), [("@news", True), (-5, True), (5, False)])
def test_groups_and_channels_have_the_stricter_rate(place, group):
    assert ChatPlace(place).is_group is group


def test_the_library_is_not_imported_before_a_call():
    code = (
        "import sys; from bot.platforms.telegram import *; from digest.document import Document;"
        f"create(Config(token='{TOKEN}')).render(Document(title='x', blocks=()));"
        "sys.exit('telegram' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
