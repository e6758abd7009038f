"""Posts by e-mail: one message of HTML and plain text to the addresses of a channel.

The mail server is spoken to by ``smtplib`` in a thread. All addresses get the message or none does:
a refused one holds it back. ``Message-ID`` is the same at every attempt, so that mail systems which
drop repeats do so. Unsubscribing by one click follows https://www.rfc-editor.org/rfc/rfc8058.
"""

from __future__ import annotations

import asyncio
import json
import re
import smtplib
import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, parseaddr
from typing import Annotated, Literal, Self

from markupsafe import Markup, escape
from pydantic import AfterValidator, SecretStr, model_validator

from bot.messaging.sender import Ability, Limit, Part, Receipt, SendError, SendReason, Unit
from bot.messaging.wire import PostsOnly
from bot.util.sanitize import address, legible
from bot.util.section import Settings, must
from bot.util.terminal import lay_out, plain_text
from digest import document as doc

_PATIENCE = 30.0  # seconds of a silent mail server
_WIDTH = 76  # columns of the plain text: https://www.rfc-editor.org/rfc/rfc3676 advises at most 78
_HTTPS = re.compile(r"\Z|https://")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_PAGE = Markup(
    '<!doctype html><html lang="{language}"><body style="font:15px/1.5 sans-serif;max-width:44em">'
    "{body}</body></html>"
)
_SPANS = {"Strong": "strong", "Emphasis": "em", "Code": "code"}


def _one_address(text: str) -> str:
    name, found = parseaddr(text)
    local, _, domain = found.partition("@")
    if not local or not domain or any(char.isspace() for char in found) or "\n" in name:
        raise ValueError("write an e-mail address, digest@example.com")
    return text


class Config(Settings):
    """The mail server, and who the mail is from; ``chat`` of a channel holds the recipients."""

    # ``unsubscribe`` takes a POST from the reader's mail program, such as a mailing list's.

    kind: Literal["email"] = "email"
    host: str
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""
    password: SecretStr | None = None
    sender: Annotated[str, AfterValidator(_one_address)]
    unsubscribe: Annotated[
        str, must(_HTTPS.match, "write an address that starts with https://")
    ] = ""

    @model_validator(mode="after")
    def _require_encryption(self) -> Self:
        if self.password and self.security == "none" and self.host not in _LOOPBACK:
            raise ValueError('a password needs security = "starttls" or "tls"')
        return self


class Email(PostsOnly):
    """Posts through one mail server."""

    name = "email"
    limit = Limit(size=None, unit=Unit.BYTES, source="the mail server's own SIZE")
    abilities: frozenset[Ability] = frozenset()
    cannot_edit = "sent mail cannot be changed"
    cannot_read = "sent mail cannot be searched"

    def __init__(self, config: Config) -> None:
        self._config = config

    def render(self, document: doc.Document) -> tuple[Part, ...]:
        """One part: plain text, and a body of subject and HTML."""
        body = {"subject": legible(document.title), "html": html(document)}
        text = plain_text(lay_out(document, _WIDTH, urls=True))
        return (Part(text=text, body=json.dumps(body, ensure_ascii=False)),)

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:  # noqa: ARG002  # no threads
        """Hand the message to the mail server; the receipt is its ``Message-ID``."""
        message = self._message(part)
        await asyncio.to_thread(self._deliver, _recipients(chat), message.as_bytes(policy=SMTP))
        return Receipt(message=str(message["Message-ID"] or "sent"))

    async def probe(self, chat: str) -> str:
        """Sign in, and name the recipients to the server without sending them anything."""
        await asyncio.to_thread(self._deliver, _recipients(chat), None)
        return f"the mail server accepts mail for {len(_recipients(chat))} recipients"

    async def aclose(self) -> None:
        """Nothing is kept open."""

    def _message(self, part: Part) -> EmailMessage:
        body = json.loads(part.body)
        message = EmailMessage()
        message["Subject"] = body["subject"]
        message["From"] = self._config.sender
        # Named nowhere, so that recipients do not see each other.
        message["To"] = "undisclosed-recipients:;"
        message["Date"] = formatdate(part.since.timestamp() if part.since else None)
        message["Auto-Submitted"] = "auto-generated"
        if part.identity:
            domain = parseaddr(self._config.sender)[1].rpartition("@")[2]
            message["Message-ID"] = f"<{part.identity}@{domain}>"
        if self._config.unsubscribe:
            message["List-Unsubscribe"] = f"<{self._config.unsubscribe}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        message.set_content(part.text, cte="quoted-printable")
        message.add_alternative(body["html"], subtype="html", cte="quoted-printable")
        return message

    def _deliver(self, recipients: Sequence[str], message: bytes | None) -> None:
        with _classify_errors(SendReason.UNAVAILABLE), self._connect() as server:
            _require_acceptance(server.mail(parseaddr(self._config.sender)[1]), SendReason.REJECTED)
            for recipient in recipients:
                _require_acceptance(server.rcpt(recipient), SendReason.NO_CHANNEL)
            if message is None:
                server.rset()
                return
            # From here on the server may have taken the message although no answer comes.
            with _classify_errors(SendReason.NO_ANSWER):
                _require_acceptance(server.data(message), SendReason.REJECTED)

    @contextmanager
    def _connect(self) -> Iterator[smtplib.SMTP]:
        config, context = self._config, ssl.create_default_context()
        server: smtplib.SMTP
        if config.security == "tls":
            server = smtplib.SMTP_SSL(config.host, config.port, timeout=_PATIENCE, context=context)
        else:
            server = smtplib.SMTP(config.host, config.port, timeout=_PATIENCE)
        try:
            if config.security == "starttls":
                server.starttls(context=context)
            if config.password is not None:
                server.login(config.user, config.password.get_secret_value())
            else:
                server.ehlo_or_helo_if_needed()
            yield server
        finally:
            server.close()


def create(config: Config) -> Email:
    """The configured mail server; makes no call yet."""
    return Email(config)


def _recipients(chat: str) -> tuple[str, ...]:
    """The addresses of a channel, separated by commas. Raises ``SendError`` for none."""
    addresses = tuple(parseaddr(part)[1] for part in chat.split(",") if part.strip())
    if not addresses or not all("@" in recipient for recipient in addresses):
        raise SendError(SendReason.NO_CHANNEL, "a recipient is not an e-mail address")
    return addresses


@contextmanager
def _classify_errors(silent: SendReason) -> Iterator[None]:
    """Raise failures as ``SendError``; ``silent`` is the reason for a silent connection."""
    try:
        yield
    except smtplib.SMTPAuthenticationError as error:
        raise SendError(SendReason.UNAUTHORIZED, f"code {error.smtp_code}") from None
    except smtplib.SMTPNotSupportedError:
        raise SendError(SendReason.UNSUPPORTED, "no STARTTLS or no sign-in there") from None
    except smtplib.SMTPResponseException as error:
        raise SendError(_reason(error.smtp_code), f"code {error.smtp_code}") from None
    except ssl.SSLCertVerificationError as error:
        raise SendError(SendReason.UNAUTHORIZED, error.verify_message) from None
    except (smtplib.SMTPException, OSError) as error:
        raise SendError(silent, type(error).__name__) from None


def _require_acceptance(answer: tuple[int, bytes], otherwise: SendReason) -> None:
    """Raises ``SendError`` unless the server accepts; 4xx is for now, 5xx for good (RFC 5321)."""
    code = answer[0]
    if not 200 <= code < 300:
        raise SendError(_reason(code, otherwise), f"code {code}")


def _reason(code: int, otherwise: SendReason = SendReason.REJECTED) -> SendReason:
    match code:
        case 421 | 450 | 451 | 452 | 454:
            return SendReason.RATE_LIMITED if code in {450, 452} else SendReason.UNAVAILABLE
        case 530 | 535 | 538:
            return SendReason.UNAUTHORIZED
        case _ if 400 <= code < 500:
            return SendReason.UNAVAILABLE
        case _:
            return otherwise


def html(document: doc.Document) -> str:
    """The document as an HTML page without scripts or pictures; all text is escaped."""
    body = Markup().join(map(_block, document.blocks))
    return str(_PAGE.format(language=document.language, body=body))


def _block(block: doc.Block) -> Markup:
    match doc.charts_as_text(block):
        case doc.Heading(level=level, spans=spans):
            size = min(level + 1, 6)
            return _element(f"h{size}", _spans(spans))
        case doc.Paragraph(spans=spans, aside=aside):
            body = _spans(spans)
            return _element("p", _element("small", body) if aside else body)
        case doc.Listing(items=items, ordered=ordered):
            return _listing(items, ordered=ordered)
        case doc.Table(header=header, rows=rows):
            head = _row("th", header)
            return _element("table", Markup().join((head, *(_row("td", row) for row in rows))))
        case doc.Quote(paragraphs=paragraphs):
            quoted = (_element("p", _spans(spans)) for spans in paragraphs)
            return _element("blockquote", Markup().join(quoted))
        case doc.CodeBlock(text=text):
            return _element("pre", escape("\n".join(map(legible, text.split("\n")))))
        case doc.Divider():
            return Markup("<hr>")
        case doc.Actions(buttons=buttons):
            # Mail has no way back, so only addresses are worth a link.
            links = [
                doc.Link(button.label, button.url) if button.url else doc.Strong(button.label)
                for button in buttons
            ]
            return _element("p", Markup(" · ").join(_span(link) for link in links))
    raise AssertionError(block)


def _listing(items: Iterable[doc.Item], *, ordered: bool) -> Markup:
    entries = (
        _element("li", _spans(item.spans) + (_listing(item.children, ordered=False)))
        for item in items
    )
    body = Markup().join(entries)
    return _element("ol" if ordered else "ul", body) if body else body


def _row(cell: str, cells: Iterable[Iterable[doc.Span]]) -> Markup:
    return _element("tr", Markup().join(_element(cell, _spans(spans)) for spans in cells))


def _spans(spans: Iterable[doc.Span]) -> Markup:
    return Markup().join(map(_span, spans))


def _span(span: doc.Span) -> Markup:
    words = escape(legible(span.text))
    match span:
        case doc.Text():
            return words
        case doc.Link(url=url):
            target = address(url)
            if not target.startswith(("https://", "http://")):
                # A mail program opens no path, so it is only shown.
                shown = target and not target.startswith("#") and target != span.text
                return escape(f"{legible(span.text)} ({target})") if shown else words
            return Markup('<a href="{}">{}</a>').format(target, words)
        case _:
            return _element(_SPANS[type(span).__name__], words)


def _element(name: str, body: Markup) -> Markup:
    return Markup("<{0}>{1}</{0}>").format(Markup(name), body)  # noqa: S704  # names are ours
