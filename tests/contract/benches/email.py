"""E-mail, through a mail server on loopback."""

from __future__ import annotations

import json
import os
from html.parser import HTMLParser
from pathlib import Path

from pydantic import SecretStr

from bot.platforms.email import Config, create
from tests.contract.bench import Bench
from tests.servers.smtp import DOMAIN, PASSWORD, USER, MailServer

_TAGS = {
    "html",
    "body",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "small",
    "ul",
    "ol",
    "li",
    "table",
    "tr",
}
_TAGS |= {"th", "td", "blockquote", "pre", "hr", "a", "strong", "em", "code"}


def bench(folder: Path) -> Bench:
    server = MailServer(folder).__enter__()
    lost = MailServer(folder, after_data="gone").__enter__()
    before = os.environ.get("SSL_CERT_FILE")
    both = folder / "certificates.pem"
    both.write_bytes(server.certificate.read_bytes() + lost.certificate.read_bytes())
    os.environ["SSL_CERT_FILE"] = str(both)

    def sender(port: int = server.port, password: str = PASSWORD, security: str = "starttls"):
        return create(
            Config.model_validate(
                {
                    "host": "127.0.0.1",
                    "port": port,
                    "user": USER,
                    "password": SecretStr(password),
                    "sender": f"Digest <digest@{DOMAIN}>",
                    "security": security,
                }
            )
        )

    def close() -> None:
        server.close()
        lost.close()
        os.environ.pop("SSL_CERT_FILE")
        if before is not None:
            os.environ["SSL_CERT_FILE"] = before

    return Bench(
        sender=sender(),
        chat=f"ada@{DOMAIN}, Bob <bob@{DOMAIN}>",
        seen=server.seen,
        broken=[sender(password="wrong-password"), sender(lost.port), sender(security="none")],
        inert=inert,
        secrets=[PASSWORD, "wrong-password"],
        close=close,
    )


def inert(body: str) -> bool:
    """The HTML has only elements that show text, and links to the web."""
    reader = _Reader()
    reader.feed(json.loads(body)["html"])
    return reader.harmless


class _Reader(HTMLParser):
    harmless = True

    def handle_starttag(self, tag, attrs) -> None:
        allowed = {"a": {"href"}, "html": {"lang"}, "body": {"style"}}.get(tag, set())
        web = all(value.startswith(("https://", "http://")) for n, value in attrs if n == "href")
        self.harmless &= tag in _TAGS and {name for name, _ in attrs} <= allowed and web

    def handle_data(self, data) -> None:
        hides = any((ord(c) < 32 and c != "\n") or c in "\x7f\u202e\u2066" for c in data)
        self.harmless &= not hides

    def handle_comment(self, data) -> None:
        self.harmless = False
