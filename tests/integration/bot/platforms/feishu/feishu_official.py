"""Feishu's official SDK as the referee: it decodes our frames and listens to our double.

Run as a program. Only the parts of the SDK that speak the long connection are imported: all of it
takes ten seconds and 140 MB, most of that for the classes of events.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
import types
from typing import Any


def official(name: str) -> Any:
    """A module of the SDK, without the package's own ``__init__``, which imports everything."""
    if "lark_oapi" not in sys.modules:
        found = importlib.util.find_spec("lark_oapi")
        assert found is not None
        package = types.ModuleType("lark_oapi")
        package.__path__ = list(found.submodule_search_locations or [])
        sys.modules["lark_oapi"] = package
        # Named by the client for its type alone.
        handler = types.ModuleType("lark_oapi.event.dispatcher_handler")
        handler.EventDispatcherHandler = object
        sys.modules["lark_oapi.event"] = types.ModuleType("lark_oapi.event")
        sys.modules["lark_oapi.event.dispatcher_handler"] = handler
    return importlib.import_module(name)


def decode(raw: bytes) -> dict[str, Any]:
    """A frame as the official codec reads it."""
    frame = official("lark_oapi.ws.pb.pbbp2_pb2").Frame()
    frame.ParseFromString(raw)
    return {
        "method": frame.method,
        "service": frame.service,
        "sequence": frame.SeqID,
        "log": frame.LogID,
        "headers": {header.key: header.value for header in frame.headers},
        "payload": frame.payload.decode("latin-1"),
        "again": frame.SerializeToString().hex(),
    }


class Handler:
    """Answers every event as a listener would."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def _do_without_validation(self, payload: bytes) -> Any:
        self.events.append(json.loads(payload))
        return {"toast": {"type": "info", "content": "official"}}


def listen(domain: str, app: str, secret: str) -> None:
    """Listen until the end of the input, as the SDK does; a line for each event."""
    client = official("lark_oapi.ws.client").Client(
        app, secret, event_handler=Handler(), domain=domain
    )
    threading.Thread(target=client.start, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "decode":
        print(json.dumps(decode(bytes.fromhex(arguments[0]))))
    elif command == "decrypt":
        cipher = official("lark_oapi.core.utils.decryptor").AESCipher(arguments[0])
        print(cipher.decrypt_str(arguments[1]))
    else:
        listen(*arguments)
