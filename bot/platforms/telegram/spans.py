"""Spans of a document as words with marks, and marked words in which nothing acts."""

from __future__ import annotations

from bot.platforms.telegram.inert import JOINER, is_target, places
from bot.platforms.telegram.lines import Mark, Run
from bot.showing.legible import address, legible
from digest.document import Code, Emphasis, Link, Span, Spans, Strong, Text

_BOLD, _ITALIC, _CODE = Mark("bold"), Mark("italic"), Mark("code")
_MARKS: dict[type[Span], tuple[Mark, ...]] = {
    Text: (),
    Strong: (_BOLD,),
    Emphasis: (_ITALIC,),
    Link: (),
}


def runs(spans: Spans) -> tuple[Run, ...]:
    """The words of the spans with their marks, on one line."""
    made: list[Run] = []
    for span in spans:
        if isinstance(span, Code):
            text = legible(span.text)
            made.append(Run(text, (_CODE,) if text.strip() else ()))
        elif isinstance(span, Link):
            made += _link(span)
        else:
            made.append(Run(legible(span.text), _MARKS[type(span)]))
    return tuple([run for run in made if run.text])


def _link(link: Link) -> list[Run]:
    """A link where Telegram takes its address, else words with the address behind them."""
    url, text = address(link.url), legible(link.text)
    if is_target(url):
        words = text if text.strip() else text + url
        return [Run(words, (Mark("text_link", url=url),))]
    if not url or url.startswith("#") or url == text:
        return [Run(text)]
    return [Run(f"{text} ("), Run(url, (_CODE,)), Run(")")]


def bold(spans: Spans) -> tuple[Run, ...]:
    """The same in bold, but for code, which cannot be."""
    return tuple(
        run if _CODE in run.marks or _BOLD in run.marks else Run(run.text, (*run.marks, _BOLD))
        for run in runs(spans)
    )


def still(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The runs of a line with joiners where something would begin to act, but for code.

    What acts may begin in one run and go on in the next, so they are looked at together.
    """
    ends = places("".join([run.text for run in runs]))
    if not ends:
        return runs
    made: list[Run] = []
    at = 0
    left = iter(ends)
    end = next(left, None)
    for run in runs:
        begin, at = at, at + len(run.text)
        mine = []
        while end is not None and end <= at:
            mine.append(end - begin)
            end = next(left, None)
        if mine and _CODE not in run.marks:
            cuts = zip([0, *mine], [*mine, None], strict=True)
            text = JOINER.join([run.text[start:stop] for start, stop in cuts])
            made.append(Run(text, run.marks))
        else:
            made.append(run)
    return tuple(made)
