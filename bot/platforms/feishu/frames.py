"""The frames of Feishu's long connection: a protocol buffer of nine fields.

Implemented here, because the message has nine fields and the library for them takes ten seconds to
import. The numbers are those of ``pbbp2.proto`` in every official SDK; the wire format is
https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

_SEQUENCE, _LOG, _SERVICE, _METHOD, _HEADERS, _PAYLOAD = 1, 2, 3, 4, 5, 8

_MASK64 = (1 << 64) - 1


class Method(IntEnum):
    """The purpose of a frame."""

    CONTROL = 0
    DATA = 1


class BadFrame(ValueError):
    """Bytes that are not a frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketFrame:
    """One message of the connection, either way. Headers map names to texts, as in HTTP."""

    method: int
    service: int = 0
    sequence: int = 0
    log: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    payload: bytes = b""

    @property
    def type(self) -> str:
        """``event``, ``card``, ``ping``, ``pong``."""
        return self.headers.get("type", "")

    def dump(self) -> bytes:
        """The frame as bytes, fields in order."""
        parts = [
            _number(_SEQUENCE, self.sequence),
            _number(_LOG, self.log),
            _number(_SERVICE, self.service),
            _number(_METHOD, self.method),
        ]
        for name, value in self.headers.items():
            parts.append(_bytes(_HEADERS, _bytes(1, name.encode()) + _bytes(2, value.encode())))
        if self.payload:
            parts.append(_bytes(_PAYLOAD, self.payload))
        return b"".join(parts)

    @classmethod
    def parse(cls, data: bytes) -> SocketFrame:
        """The frame in the bytes; unknown fields are ignored. Raises ``BadFrame``."""
        numbers: dict[int, int] = {}
        headers: dict[str, str] = {}
        payload = b""
        for number, value in _fields(data):
            if isinstance(value, int):
                numbers[number] = value
            elif number == _HEADERS:
                pair = dict(_fields(value))
                headers[_text(pair.get(1))] = _text(pair.get(2))
            elif number == _PAYLOAD:
                payload = value
        return cls(
            method=numbers.get(_METHOD, 0),
            service=numbers.get(_SERVICE, 0),
            sequence=numbers.get(_SEQUENCE, 0),
            log=numbers.get(_LOG, 0),
            headers=headers,
            payload=payload,
        )


def _text(value: int | bytes | None) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else ""


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value & _MASK64)


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields in their order, only numbers and bytes."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _read_varint(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            length, at = _read_varint(data, at)
        elif kind in {_FIXED64, _FIXED32}:
            length = 8 if kind == _FIXED64 else 4
        else:
            raise BadFrame(f"field {number} is of the unknown kind {kind}")
        if at + length > len(data):
            raise BadFrame(f"field {number} is cut off")
        if kind == _BYTES:
            yield number, data[at : at + length]
        at += length


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _MASK64, at
        shift += 7
    raise BadFrame("a number is cut off")
