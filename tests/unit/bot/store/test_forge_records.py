from __future__ import annotations

import json

from bot.store.forge_records import request_from_json, request_to_json
from tests.unit.digest.core.test_request import REQUEST


def test_request_as_json_is_read_back() -> None:
    value = request_to_json(REQUEST)
    assert request_from_json(json.loads(json.dumps(value))) == REQUEST
    assert (value["created_at"], value["reviewers"]) == (1769126400, [["bob", "approved"]])
