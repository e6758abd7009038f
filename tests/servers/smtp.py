"""A mail server on loopback: aiosmtpd with sign-in, STARTTLS, a size limit and one known domain."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import ssl
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.servers.threaded import Threaded

USER, PASSWORD = "digest", "password-of-the-mailbox"
DOMAIN = "example.com"
MOST_BYTES = 10_000_000


class MailServer(Threaded):
    """Accepts mail for ``DOMAIN``. ``after_data`` answers a message; "gone" hangs up."""

    def __init__(self, folder: Path, after_data: str = "250 OK") -> None:
        super().__init__()
        self.mails: list[tuple[list[str], EmailMessage]] = []
        self.certificate = _certificate(folder / f"certificate-{id(self)}.pem")
        self.after_data = after_data
        self._server: asyncio.Server | None = None

    async def _open(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)

        def connection() -> SMTP:
            return SMTP(
                self,
                hostname="mail.example.com",
                tls_context=context,
                require_starttls=True,
                auth_required=True,
                authenticator=self._signs_in,
                data_size_limit=MOST_BYTES,
            )

        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(connection, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def seen(self) -> list[str]:
        return [text_of(mail) for _, mail in self.mails]

    def _signs_in(self, server: SMTP, session: Session, envelope: Envelope, way: str, data: Any):
        assert isinstance(data, LoginPassword)
        right = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=right, handled=False)

    async def handle_RCPT(self, server, session, envelope, address: str, options) -> str:
        if not address.endswith(f"@{DOMAIN}"):
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope: Envelope) -> str:
        known = {mail["Message-ID"] for _, mail in self.mails}
        mail = message_from_bytes(envelope.content, policy=policy.default)
        if not mail["Message-ID"] or mail["Message-ID"] not in known:
            self.mails.append((list(envelope.rcpt_tos), mail))
        if self.after_data == "gone":
            server.transport.close()
        return self.after_data


def text_of(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def html_of(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def _certificate(place: Path) -> Path:
    """A self-signed certificate for 127.0.0.1, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    place.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return place
