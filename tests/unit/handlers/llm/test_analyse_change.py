"""How one change is asked about: whole, or in parts if it does not fit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from digest.core.enums import Language
from digest.llm.packing import prompts_for
from digest.llm.prompt import PromptKind
from handlers.llm.analyse_change import Asker
from handlers.ports.model_port import (
    OVERHEAD,
    BillingAccount,
    CallKind,
    ModelProfile,
    ModelReply,
    ModelRequest,
    Usage,
)
from tests.support import materials
from tests.unit.digest.llm.test_packing import sprawling

STATEMENT = {"text": "The code behaves in another way now.", "cites": ["F1"]}
REPLIES = {
    "notes": {"notes": [{"about": "summary", **STATEMENT}]},
    "analysis": {"change_types": ["fix"], "summary": [STATEMENT], "importance": {}},
}


class Model:
    """Answers each request by the name of its schema, and notes the names."""

    count: Callable[[str], int] = staticmethod(materials.words)

    def __init__(self, room: int) -> None:
        context = room + OVERHEAD
        self.profile = ModelProfile(name="m", server="s", context=context, max_output=0)
        self.asked: list[str] = []

    async def complete(self, request: ModelRequest[object]) -> ModelReply[object]:
        self.asked.append(request.name)
        value = request.read(REPLIES[request.name])
        return ModelReply(value=value, usage=Usage(), model="m", seconds=0.0)


CHANGE = sprawling(files=2, hunks=2, lines=40)


def kinds(budget: int) -> list[PromptKind]:
    prompts = prompts_for(CHANGE, Language.EN, materials.words, budget, parts=6)
    return [prompt.kind for prompt in prompts]


async def test_change_that_fits_one_part_but_no_whole_prompt_is_read_as_a_part():
    budget = next(size for size in range(1500, 9000) if kinds(size) == [PromptKind.PART])
    model = Model(budget)
    account = BillingAccount(kind=CallKind.ANALYSIS, repository="octo/project")
    asker = Asker(
        model=model,
        language=Language.EN,
        account=lambda shas: account,
        deadline=asyncio.get_running_loop().time() + 60,
    )
    found = await asker.change(CHANGE, PromptKind.HIGH)
    assert model.asked == ["notes", "analysis"]
    assert found.judged.analysis.summary[0].text == STATEMENT["text"]
