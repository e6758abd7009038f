"""Mail through a real mail server: who gets it, what it says of itself, and how failures are told."""

from __future__ import annotations

import pytest
from pydantic import SecretStr, ValidationError

from bot.messaging.sender import Part, SendError, SendReason
from bot.platforms.email import Config, create, html
from digest.document import Code, Document, Link, Paragraph, Text
from tests.servers.smtp import DOMAIN, PASSWORD, USER, MailServer, html_of, text_of
from tests.support.samples_documents import digest_en, digest_zh

TEAM = f"ada@{DOMAIN}, Bob <bob@{DOMAIN}>"


@pytest.fixture
def server(tmp_path, monkeypatch):
    with MailServer(tmp_path) as running:
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        yield running


def a_sender(server, **changed):
    fields = {
        "host": "127.0.0.1",
        "port": server.port,
        "user": USER,
        "password": SecretStr(PASSWORD),
        "sender": f"Digest <digest@{DOMAIN}>",
        **changed,
    }
    return create(Config.model_validate(fields))


def mail(sender, identity="a" * 32, document=None):
    (part,) = sender.render(document or digest_en())
    return Part(text=part.text, body=part.body, identity=identity)


async def test_every_recipient_gets_one_message_and_sees_no_other_address(server):
    sender = a_sender(server)
    await sender.send(TEAM, mail(sender))
    ((recipients, received),) = server.mails
    assert recipients == [f"ada@{DOMAIN}", f"bob@{DOMAIN}"]
    assert "bob@" not in str(received["To"])
    assert str(received["Subject"]) == digest_en().title
    assert received["Auto-Submitted"] == "auto-generated"


@pytest.mark.parametrize("document", [digest_en(), digest_zh()], ids=["en", "zh"])
async def test_both_forms_of_a_message_say_the_same(server, document):
    sender = a_sender(server)
    await sender.send(TEAM, mail(sender, document=document))
    ((_, received),) = server.mails
    assert "--cache-dtype" in text_of(received)
    assert "<code>--cache-dtype</code>" in html_of(received)
    assert f'<html lang="{document.language}">' in html_of(received)


async def test_a_second_attempt_has_the_same_message_id(server):
    sender = a_sender(server)
    receipt = await sender.send(TEAM, mail(sender))
    assert await sender.send(TEAM, mail(sender)) == receipt
    assert receipt.message == f"<{'a' * 32}@{DOMAIN}>"
    assert len(server.mails) == 1


@pytest.mark.parametrize("chat", ["", " , ", "nobody", f"ada@{DOMAIN}, bob", "<>"])
async def test_channel_with_a_recipient_without_an_address_gets_no_mail(server, chat):
    sender = a_sender(server)
    with pytest.raises(SendError, match="not an e-mail address") as raised:
        await sender.send(chat, mail(sender))
    assert raised.value.reason is SendReason.NO_CHANNEL
    assert server.mails == []


async def test_one_refused_recipient_holds_the_message_back_from_all(server):
    sender = a_sender(server)
    with pytest.raises(SendError) as raised:
        await sender.send(f"ada@{DOMAIN}, eve@elsewhere.example", mail(sender))
    assert raised.value.reason is SendReason.NO_CHANNEL
    assert server.mails == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("gone", SendReason.NO_ANSWER),
        ("451 try later", SendReason.UNAVAILABLE),
        ("452 too much mail", SendReason.RATE_LIMITED),
        ("499 try later", SendReason.UNAVAILABLE),
        ("500 what", SendReason.REJECTED),
        ("554 looks like spam", SendReason.REJECTED),
    ],
)
async def test_answer_to_a_message_says_whether_it_may_have_been_taken(server, answer, reason):
    server.after_data = answer
    sender = a_sender(server)
    with pytest.raises(SendError) as raised:
        await sender.send(TEAM, mail(sender))
    assert raised.value.reason is reason
    assert "spam" not in str(raised.value)


async def test_server_that_is_not_there_is_unavailable(server):
    server.go()
    sender = a_sender(server)
    with pytest.raises(SendError) as raised:
        await sender.send(TEAM, mail(sender))
    assert raised.value.reason is SendReason.UNAVAILABLE


async def test_certificate_of_somebody_else_is_refused(server, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    sender = a_sender(server)
    with pytest.raises(SendError) as raised:
        await sender.send(TEAM, mail(sender))
    assert raised.value.reason is SendReason.UNAUTHORIZED
    assert server.mails == []


async def test_one_click_unsubscribing_is_offered_where_an_address_is_given(server):
    sender = a_sender(server, unsubscribe="https://lists.example.com/off?team")
    await sender.send(TEAM, mail(sender))
    ((_, received),) = server.mails
    assert received["List-Unsubscribe"] == "<https://lists.example.com/off?team>"
    assert received["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


async def test_title_with_line_breaks_adds_no_header(server):
    sender = a_sender(server)
    document = Document(title="x\r\nBcc: eve@example.com", blocks=(Paragraph((Text("hello"),)),))
    await sender.send(TEAM, mail(sender, document=document))
    ((recipients, received),) = server.mails
    assert received["Bcc"] is None
    assert len(recipients) == 2


async def test_long_lines_and_lone_full_stops_arrive_as_written(server):
    sender = a_sender(server)
    words = Paragraph((Code("x" * 3000), Text(" "), Link("here", "https://example.com/a")))
    document = Document(
        title="t", blocks=(words, Paragraph((Text("."),)), Paragraph((Text("end"),)))
    )
    await sender.send(TEAM, mail(sender, document=document))
    ((_, received),) = server.mails
    assert "x" * 3000 in html_of(received)
    assert text_of(received).rstrip().endswith(".\n\nend")


def test_path_of_a_report_is_shown_since_mail_opens_no_path():
    document = Document(title="t", blocks=(Paragraph((Link("Full report", "reports/x.md"),)),))
    assert "Full report (reports/x.md)" in html(document)
    assert "<a" not in html(document)


def test_password_is_never_sent_in_the_clear():
    fields = {"host": "mail.example.com", "password": "p", "sender": "a@b.c", "security": "none"}
    with pytest.raises(ValidationError, match="needs security"):
        Config.model_validate(fields)


@pytest.mark.parametrize("sender", ["nobody", "a@", "two words@example.com"])
def test_sender_without_an_address_is_refused(sender):
    with pytest.raises(ValidationError, match="write an e-mail address"):
        Config.model_validate({"host": "mail.example.com", "sender": sender})
