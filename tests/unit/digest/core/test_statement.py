"""An analysis as JSON and back: nothing of it is lost, hostile text included."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Evidence
from digest.core.statement import (
    Analysis,
    Aspect,
    ChangeType,
    Origin,
    Statement,
    analysis_from_json,
    analysis_to_json,
)
from tests.support.strategies import spans, texts

places = st.builds(
    Evidence, path=texts, line=st.integers(0, 10**6), side=st.sampled_from(list(Side))
)

statements = st.builds(
    Statement,
    spans=spans,
    evidence=st.lists(places, min_size=1, max_size=3).map(tuple),
    aspect=st.sampled_from(list(Aspect)),
)

sections = st.lists(statements, max_size=3).map(tuple)

analyses = st.builds(
    Analysis,
    language=st.sampled_from(list(Language)),
    source=st.sampled_from(list(Origin)),
    change_types=st.lists(st.sampled_from(list(ChangeType)), max_size=3).map(tuple),
    summary=sections,
    impact=sections,
    insights=sections,
    risks=sections,
    suggestions=sections,
    rejected=st.floats(0, 1),
    partial=texts,
)


@given(analyses)
def test_analysis_comes_back_from_json(analysis: Analysis) -> None:
    assert analysis_from_json(json.loads(json.dumps(analysis_to_json(analysis)))) == analysis
