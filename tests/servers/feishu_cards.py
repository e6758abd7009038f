"""Feishu's cards as its server checks them and as a person sees them.

The check knows the components that the bot uses and refuses all other attributes, like JSON 2.0.
Markdown is read by a CommonMark parser, so that the result is not what we meant but what a renderer
shows; tags are handled separately, because Feishu's own tags mention people.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

_ATTRIBUTES = {
    "markdown": {"content", "text_size", "element_id"},
    "div": {"text", "element_id"},
    "hr": {"element_id"},
    "column_set": {"flex_mode", "columns", "element_id"},
    "column": {"width", "elements", "element_id"},
    "button": {"text", "behaviors", "element_id"},
}
_TEMPLATES = {"blue", "wathet", "turquoise", "green", "yellow", "orange", "red", "grey", "default"}
MOST_COMPONENTS = 200


class BadCard(Exception):
    """Code 230099; the text says what is wrong."""


@dataclass
class Seen:
    """A card on the screen. ``acts`` are tags, images and bare links, which text must not become."""

    text: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[dict[str, Any]] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)


def check(card: Any, *, callbacks: bool = True) -> None:
    """Raise ``BadCard`` if Feishu would refuse the card."""
    _only(card, {"schema", "config", "header", "body"}, "card")
    _want(card.get("schema") == "2.0", "schema")
    config = card.get("config", {})
    _only(config, {"update_multi", "summary"}, "config")
    _want(config.get("update_multi") is True, "update_multi")
    if "summary" in config:
        _only(config["summary"], {"content"}, "summary")
        _want(isinstance(config["summary"].get("content"), str), "summary")
    if "header" in card:
        _only(card["header"], {"title", "template"}, "header")
        _plain(card["header"].get("title"))
        _want(card["header"].get("template") in _TEMPLATES, "template")
    _only(card.get("body"), {"elements"}, "body")
    elements = card["body"].get("elements")
    _want(isinstance(elements, list) and elements, "body is empty")
    found = list(_components(elements))
    _want(len(found) <= MOST_COMPONENTS, f"{len(found)} components")
    ids = [one["element_id"] for one in found if "element_id" in one]
    _want(len(ids) == len(set(ids)), "element_id twice")
    for one in found:
        _component(one, callbacks=callbacks)


def see(card: dict[str, Any]) -> Seen:
    """The visible text."""
    seen = Seen()
    texts = [card["header"]["title"]["content"]] if "header" in card else []
    for one in _components(card["body"]["elements"]):
        match one["tag"]:
            case "markdown":
                texts.append(_rendered(one["content"], seen))
            case "div":
                texts.append(one["text"]["content"])
            case "button":
                texts.append(one["text"]["content"])
                seen.buttons.append({"label": one["text"]["content"], **one["behaviors"][0]})
    seen.text = "\n".join(texts)
    return seen


def see_body(body: str) -> Seen:
    return see(json.loads(body))


def _components(elements: list[Any]) -> Iterator[dict[str, Any]]:
    for one in elements:
        yield one
        yield from _components(one.get("columns", []))
        yield from _components(one.get("elements", []))


def _component(one: dict[str, Any], *, callbacks: bool) -> None:
    tag = one.get("tag")
    _want(tag in _ATTRIBUTES, f"unsupported tag {tag}")
    _only(one, {"tag", *_ATTRIBUTES[tag]}, tag)
    if "element_id" in one:
        name = one["element_id"]
        _want(name[:1].isalpha() and len(name) <= 20 and name.isascii(), "element_id")
    match tag:
        case "markdown":
            _want(isinstance(one.get("content"), str) and one["content"], "content")
            _want(one.get("text_size", "normal") in {"normal", "heading", "notation"}, "text_size")
        case "div":
            _plain(one.get("text"))
        case "column_set":
            _want(one.get("flex_mode") in {"none", "flow", "stretch", "bisect", "trisect"}, "flex")
            _want(one.get("columns"), "columns")
        case "button":
            _plain(one.get("text"))
            _behaviour(one.get("behaviors"), callbacks=callbacks)


def _behaviour(found: Any, *, callbacks: bool) -> None:
    _want(isinstance(found, list) and len(found) == 1, "behaviors")
    match found[0]:
        case {"type": "open_url", "default_url": str(url), **rest}:
            _want(not rest and url.startswith(("https://", "http://")), "default_url")
        case {"type": "callback", "value": value, **rest}:
            _want(callbacks and not rest and isinstance(value, dict | str), "callback")
        case _:
            raise BadCard("behaviors")


def _plain(text: Any) -> None:
    _only(text, {"tag", "content"}, "text")
    _want(text.get("tag") == "plain_text" and isinstance(text.get("content"), str), "plain_text")


def _only(value: Any, names: set[str], where: str) -> None:
    _want(isinstance(value, dict), where)
    _want(not value.keys() - names, f"unknown property in {where}: {value.keys() - names}")


def _want(condition: Any, where: str) -> None:
    if not condition:
        raise BadCard(where)


def _rendered(content: str, seen: Seen) -> str:
    return "".join(_tokens(_PARSER.parse(content), seen))


def _tokens(tokens: list[Token], seen: Seen) -> Iterator[str]:
    for place, token in enumerate(tokens):
        match token.type:
            case "inline":
                yield from _tokens(token.children or [], seen)
                yield "\n"
            case "text" | "text_special" | "code_inline":
                yield token.content
            case "fence" | "code_block":
                seen.marks.append(token.type)
                yield token.content
            case "softbreak" | "hardbreak":
                yield "\n"
            case "html_inline" | "html_block" | "image":
                seen.acts.append(token.content)
            case "link_open":
                words = next((one.content for one in tokens[place + 1 :] if one.content), "")
                seen.links.append((words, str(token.attrs["href"])))
            case "strong_open" | "em_open" | "s_open" | "heading_open" | "hr" | "table_open":
                seen.marks.append(token.type)
            case "blockquote_open" | "bullet_list_open" | "ordered_list_open":
                seen.marks.append(token.type)
