"""Command-line flags, as programs declare them with widely used libraries.

Python: argparse, click, typer, absl. Go: flag, pflag and cobra, urfave/cli. Rust: clap. JavaScript
and TypeScript: commander, yargs, arg and others. C and C++: ``getopt_long`` tables, gflags, abseil.
Java: picocli, commons-cli. Ruby: OptionParser, Thor and others. Names are given as users type them:
``--ssl-ciphers``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from digest.core.change import Side
from digest.core.facts import Action, Fact, FactKind
from digest.facts import feature_flags, named_settings, settings_files
from digest.facts.call_arguments import CodeCall, literal, split, touched_calls
from digest.facts.languages import patterns, words
from digest.facts.named_settings import NamedSetting, is_named
from digest.facts.side_text import SideText, block, entire
from digest.facts.similarity import endings

_CALLEES, _SURE = patterns("flags"), patterns("flags_sure")
_WORDS = words("flag_words")
# Possessive, so that a row of slashes is one comment and is not split in every possible way.
_NOTES = re.compile(r"\]\s*+(?:///[^\n]*+\s*+)*+")
_FIELD = re.compile(r"(?:pub(?:\([^)]*\))?\s+)?(?:r#)?(\w+)\s*:")
_FIELD_LINE = re.compile(r"(?:\s*+(?:///|#\[)[^\n]*+)*+\s*+(?:pub(?:\([^)]*\))?\s+)?\w+\s*:[^\n]*")
_DEFAULT = re.compile(r"\.default_value\(([^()]*)\)")
_CHAINED = re.compile(r"(?:\s*+\.\s*+\w++\((?:[^()\n]|\([^()\n]*+\))*+\))*+")
_GO_DEFAULT = re.compile(r"\.\s*+Default\(((?:[^()]|\([^()]*+\))*+)\)")
_GO_CONVERSION = re.compile(r"(?:string|fmt\.Sprint)\(([^()]*)\)|([\w.]+)\.String\(\)")
_REACH = 600  # characters between an attribute and the field it belongs to
_SETS = re.compile(r"^class \w*(?:Args|Arguments|Options|Opts|Flags)\b", re.MULTILINE)
_FUNCTIONS = re.compile(r"^    (?:async )?def ", re.MULTILINE)
_MARGIN_FIELD = re.compile(r"^[ \t]+([^\s:]+):", re.MULTILINE)
_FUNCTION = re.compile(r"=>|\bfunction\b|\.bind\(")
_TYPED_NAME = re.compile(r"--?[A-Za-z0-9][\w.-]*")
_SPECIFIED = re.compile(rf"(?<![\w<\[.-]){_TYPED_NAME.pattern}")
_YARGS = re.compile(r"\b(?:alias|default|describe|description|demandOption|type|choices)\s*:")


def find(before: SideText, after: SideText, language: str) -> Iterator[Fact]:
    """The flags of one file that were added, removed or changed name, default or choices."""
    if language not in _WORDS:
        return
    if language in {"go", "python"}:
        yield from feature_flags.find_commands(before, after)
    if language == "go":
        yield from feature_flags.find(before, after)
    elif language == "rust":
        yield from feature_flags.find_parsed(before, after)
    olds = [s for s in _declared(before, language) if not _became_field(s, before, after)]
    news = [s for s in _declared(after, language) if not _became_field(s, after, before)]
    found = named_settings.compare(FactKind.FLAG, before, after, olds, news)
    taken = tuple(_PREFIXES.findall(after.changed_text)) if language == "go" else ()
    gone = Action.REMOVED
    facts = [f for f in found if f.action is not gone or not f.name.lstrip("-").startswith(taken)]
    scopes = {(s.line, s.names[0]): s.scope for s in news}
    for fact in facts:
        scope = scopes.get((fact.evidence.line, fact.name), "")
        renamed = fact.action is Action.RENAMED
        command = feature_flags.command(after.text, scope, language) if renamed else ""
        if command and scope not in feature_flags.roots(after.text):
            # Other commands and the program may have one of the old name.
            name, old, new = (f"{command} {n or ''}" for n in (fact.name, fact.before, fact.after))
            yield replace(fact, name=name, before=old, after=new, detail="command")
        else:
            yield fact
    told = {(f.evidence.side, f.evidence.line) for f in facts}
    told |= {(Side.OLD, s.line) for s in olds if s.names[0] in {f.before for f in facts}}
    if (olds or news) and before.text.count("flatten") == after.text.count("flatten"):
        for action, sides, lost, others in (
            (Action.REMOVED, (before, after), olds, news),
            (Action.ADDED, (after, before), news, olds),
        ):
            touched = {s.names[0] for s in others}
            alone = [
                s for s in lost if s.names[0] not in touched and (sides[0].side, s.line) not in told
            ]
            yield from _of_commands(action, *sides, alone, language)


_PREFIXES = re.compile(r"\bRegister\w*Flags\w*\(\s*\"(\w[\w-]{0,60}\.[\w.-]{2,80})\"")
"""What begins the names of the flags that a library declares; which they are is not in the tree."""


def _of_commands(
    action: Action, here: SideText, there: SideText, flags: Sequence[NamedSetting], language: str
) -> Iterator[Fact]:
    """Flags that one command has on only one side, while others have them on both."""
    those = [f for f in flags if is_named(there.text, f) and (f.scope and f.scope in there.text)]
    commands = {id(f): feature_flags.command(here.text, f.scope, language) for f in those}
    if not any(commands.values()):
        return
    known = {(s.scope, n) for s in _declared(entire(there), language) for n in s.names}
    roots = feature_flags.roots(there.text) if language == "rust" else []
    for flag in those:
        name = flag.names[0]
        if any((root, name) in known for root in roots):
            continue  # every command takes it
        if (command := commands[id(flag)]) and (flag.scope, name) not in known:
            named = f"{command} {name}"
            yield here.fact(FactKind.FLAG, action, named, flag.line, detail="command")


def spellings(name: str) -> tuple[str, ...]:
    """The ways to write a flag, or the field from which it is made."""
    bare = name.lstrip("-")
    field, quoted = bare.replace("-", "_"), (f'"{end}"' for end in (bare, *endings(bare)))
    return (f"--{bare}", *quoted, *((f"{field}:",) if "_" in field else ()))


def defined(source: SideText, language: str, name: str) -> bool:
    """Whether a whole file declares a flag, or a field from which flags are made."""
    bare = name.lstrip("-")
    field = bare.replace("-", "_")
    below = [end for end in endings(bare) if end in source.text] if language == "go" else []
    if language not in _WORDS or not (bare in source.text or field in source.text or below):
        return False
    if any(re.search(rf"\+\s*\"{re.escape(end)}\"", source.text) for end in below):
        return True  # a prefix is added to it
    if any(bare == n.lstrip("-") for s in _declared(source, language) for n in s.names):
        return True
    helper = _BY_HELPER if "script" in language else _BY_HELPER.partition("|^")[0]
    told = rf"alias(?:es)?(?:\s*=|\()[^\n]{{0,80}}\"NAME\"|{helper}"
    if re.search(told.replace("NAME", re.escape(bare)), source.text, re.MULTILINE):
        return True
    made = re.compile(rf"^    {re.escape(field)}[ \t]*:", re.MULTILINE)
    return language == "python" and any(
        made.search(_FUNCTIONS.split(block(source.text, match.start()), maxsplit=1)[0])
        for match in _SETS.finditer(source.text)
    )


_BY_HELPER = (
    r"(?i:option|argument|arg|flag|param(?:eter)?)\("
    r"\s*[\"'](?:[^\"'\n]{0,40}[ ,|])?--?NAME(?![\w-])"
    r"|^\s+[\"']--NAME[\"']:|^\s+[\"']?NAME[\"']?: \{ ?(?:type|$)"
)
"""A flag of a function of the project, ``_option("--format -f FORM", ...)``, or of a table."""


def _became_field(flag: NamedSetting, here: SideText, there: SideText) -> bool:
    """Whether only the other side has a field of the flag's name; many flags are made from one."""
    field = flag.names[0].lstrip("-").replace("-", "_")
    return field in _fields(there.text) and field not in _fields(here.text)


@lru_cache(maxsize=4)
def _fields(text: str) -> frozenset[str]:
    return frozenset(_MARGIN_FIELD.findall(text))


def _declared(source: SideText, language: str) -> Iterator[NamedSetting]:
    if language in {"javascript", "typescript"}:
        yield from settings_files.parsed_flags(source)
    reach, sure = _REACHES.get(language), _SURE.get(language)
    given = _CALLEES[language], language, _WORDS[language]
    for call in touched_calls(source, *given, sure=sure, reach=reach):
        if (read := _READERS[language](source, call)) is None:
            continue
        typed, value, choices = read
        own = f"&{value}" in call.positional  # what the variable was set to before
        names = tuple(n for n in typed if _TYPED_NAME.fullmatch(n))
        linked = language == "rust" and call.callee.startswith(".")
        end = call.end if linked or not reach else reach(source.text, call.end)
        if names:
            yield NamedSetting(
                names=tuple(sorted(names, key=lambda n: not n.startswith("--"))),
                line=_line(source, call, names),
                value=None if own else value,
                choices=choices,
                text=source.text[call.start : end],
                spelled=_spelled(names[0].lstrip("-"), language),
                scope=feature_flags.scope_of(source.text, call, language),
                known=not own and (value is not None or not _may_default(call, language)),
            )


def _may_default(call: CodeCall, language: str) -> bool:
    """Whether a flag without a default may get one where its value is read."""
    moves = language == "rust" or call.callee.endswith(".Flag")
    return moves or any(p.startswith("**") for p in call.positional)


def _spelled(name: str, language: str) -> str:
    """The form of a flag in program text that does not write the dashes."""
    if language == "python" or not name:
        return ""
    field = name.replace("-", "_")
    return {"ruby": f":{field}", "rust": f"{field}:"}.get(language, f'"{name}"')


def _line(source: SideText, call: CodeCall, names: tuple[str, ...]) -> int:
    """The line of a name inside its call."""
    bare = names[0].lstrip("-")
    at = source.text.find(bare, call.start, call.end)
    if at < 0:  # a name that is made from the field below
        at = source.text.find(bare.replace("-", "_"), call.end, call.end + _REACH)
    return source.line_at(at if at >= 0 else call.start)


Read = tuple[tuple[str, ...], str | None, str | None]


def _python(source: SideText, call: CodeCall) -> Read | None:
    if call.callee.startswith("DEFINE_"):
        name = literal(call.get("name", 0))
        return ((f"--{name}",), call.get("default", 1), None) if name else None
    texts = [t for p in call.positional if (t := literal(p)) is not None]
    if call.callee not in _LIBRARY and (own := _of_helper(source, call, texts)) is not None:
        return own, call.get("default"), call.get("choices")
    if call.callee == "option" and "cleo" in source.text and texts and texts[0][:1].isalpha():
        return (f"--{texts[0]}",), call.get("default"), None
    names = [n for t in texts if t.startswith("-") for n in t.split("/")]
    value = call.get("default")
    if value is None and call.callee.startswith("Option") and texts[:1] != names[:1]:
        value = call.get("default", 0)
    return tuple(names), value, call.get("choices")


def _of_helper(source: SideText, call: CodeCall, texts: Sequence[str]) -> tuple[str, ...] | None:
    """The names in a call of a function of the project, none if it only asks for a flag.

    ``None`` for a call of a library. The first text may be the whole form: ``--format -f FORM``.
    """
    name = call.callee.rpartition(" ")[2]
    if not _HELPER.fullmatch(name) or not texts[:1] or not texts[0].startswith("-"):
        return None
    known = re.search(_KNOWN.replace("NAME", name), source.text, re.MULTILINE)
    described = len(texts) > 1 or call.named or "{" in "".join(call.positional)
    if known is None or _ASKS.match(name) or not described:
        return ()
    return tuple(n for text in texts if text.startswith("-") for n in _SPECIFIED.findall(text))


_LIBRARY = frozenset({"add_argument", "add_option", "option", "Option"})
_HELPER = re.compile(r"\w{0,40}(?i:option|arg(?:ument)?|flag|param(?:eter)?)")
_KNOWN = (
    r"^[ \t]*(?:export )?(?:async )?(?:def|function|const) NAME\b"
    r"|^(?:from|import)\b.*\bNAME\b|^(?:    |  |\t)NAME,?$|^NAME = "
)
_ASKS = re.compile(
    r"_*(?:has|is|get|parse|find|check|skip|no|remove|drop|strip|unknown|missing|bad|invalid"
    r"|assert|expect|test|requires?|warn|format|quote|raise|with|without)(?:_|$)"
)


def _go(source: SideText, call: CodeCall) -> Read | None:
    if call.callee.startswith("cli."):
        parts = dict(p.split(":", 1) for p in call.positional if ":" in p)
        name = literal(parts.get("Name", "").strip())
        return ((f"--{name}",), parts.get("Value", "").strip() or None, None) if name else None
    if call.callee.endswith("Flag"):
        return _kingpin(source, call)
    callee = call.callee.rpartition(".")[2]
    arguments = list(call.positional)
    if callee.removesuffix("P").endswith("Var"):
        if bound := literal(arguments[0]) if arguments else None:
            # Its default is what is neither its help nor its variable.
            given = [a for a in arguments[1:] if a[:1] != "&" and " " not in (literal(a) or "")]
            return (f"--{bound}",), given[0] if len(given) == 1 else None, None
        arguments = arguments[1:]
    name = literal(arguments[0]) if arguments else None
    place = 2 if callee.endswith("P") else 1
    if callee == "Var":  # a value of its own type, with its default in it
        return ((f"-{name}",), None, None) if name else None
    if not name or len(arguments) <= place:
        return None
    dashes = (
        "--" if callee.endswith("P") or "pflag" in source.text or "cobra" in source.text else "-"
    )
    value = None if callee.startswith("Count") else arguments[place]
    if value and (read := _FROM_ENVIRONMENT.match(value)):
        inner = split(value, read.end() - 1, "go")
        value = inner[1][1] if inner and len(inner[1]) > 1 else None
    return (dashes + name,), value, None


_FROM_ENVIRONMENT = re.compile(r"(?=[\w.]{0,80}(?:Env|ENV|env))(?:\w+\.)?\w+\((?=\s*\")")
"""The beginning of a default that a variable may replace, which is given before it."""


def _kingpin(source: SideText, call: CodeCall) -> Read | None:
    """A flag with its help and its chained calls; helpers take the program first."""
    texts = [literal(p) for p in call.positional]
    name = texts[0] if call.callee.endswith(".Flag") else texts[1] if len(texts) > 1 else None
    if not name or len(texts) < 2 or not _TYPED_NAME.fullmatch(f"--{name}"):
        return None
    default = _GO_DEFAULT.search(source.text[call.end : _chain_end(source.text, call.end)])
    value = default.group(1).strip() if default else None
    converted = _GO_CONVERSION.fullmatch(value) if value else None
    return (f"--{name}",), (converted[1] or converted[2]) if converted else value, None


def _chain_end(text: str, end: int) -> int:
    """The end of the calls that are chained to a call."""
    chain = _CHAINED.match(text, end, end + _REACH)
    return chain.end() if chain else end


def _rust(source: SideText, call: CodeCall) -> Read | None:
    text = source.text
    if call.callee in {".long", ".short"}:
        name = literal(call.get("", 0))
        if call.callee == ".short":
            after = _LONG.search(text, call.end, _chain_end(text, call.end))
            name = after[1] if after else None
        chain = text[call.end : call.end + _REACH].partition("Arg::new(")[0]
        default = _DEFAULT.search(chain)
        value = (default.group(1).strip() or None) if default else None
        return ((f"--{name}", *_others(text, call)), value, None) if name else None
    if call.callee and call.callee[-1].isalpha() and text[call.start : call.end].endswith("}"):
        parts = dict(p.split(":", 1) for p in call.positional if ":" in p)
        name, letter = literal(parts.get("long", "").strip()), _BYTE.search(parts.get("short", ""))
        struct = (f"--{name}", *((f"-{letter[1]}",) if letter else ()))
        return (struct, None, None) if name else None
    name = literal(call.named.get("long"))
    if name is None and "long" in call.positional:
        name = _field_below(text, call.end)
    if name is None:
        return None
    value = call.named.get("default_value") or call.named.get("default_value_t")
    others = " ".join(call.named.get(key, "") for key in _ALIASES)
    synonyms = (n for n in re.findall(r'"([\w-]+)"', others) if n != f"no-{name}")
    names = dict.fromkeys((name, *synonyms))  # a negated form follows its flag
    given = call.named.get("short", "").strip("'\"")
    if "short" in call.positional:
        given = (_field_below(text, call.end) or "")[:1]
    letters = (f"-{given}",) if len(given) == 1 else ()
    return (*(f"--{n}" for n in names), *letters), value, call.named.get("value_parser")


_LONG = re.compile(r"\.long\(\s*\"([\w-]+)\"\s*\)")
_SYNONYM = re.compile(r"\.(?:visible_)?alias\(\s*\"([\w-]+)\"\s*\)")
_SHORT = re.compile(r"\.short\(\s*['\"](\w)['\"]\s*\)")
_BYTE = re.compile(r"b?['\"](\w)['\"]")
_ARGUMENT = re.compile(r"\bArg::|\barg\(")


def _others(text: str, call: CodeCall) -> tuple[str, ...]:
    """How a flag of clap may also be given, from the chain around its long name."""
    first = max(0, call.start - _REACH)
    start = max((m.end() for m in _ARGUMENT.finditer(text, first, call.start)), default=first)
    end = _chain_end(text, call.end)
    found = _SHORT.search(text, start, end)
    aliases = (f"--{name}" for name in _SYNONYM.findall(text, start, end))
    return (*aliases, *((f"-{found[1]}",) if found else ()))


_ALIASES = ("alias", "visible_alias", "aliases", "visible_aliases")


def _field_below(text: str, end: int) -> str | None:
    """A flag named after the field below an attribute whose call ends there, in ``#[arg(...)]``."""
    at, limit = end, end + _REACH
    while notes := _NOTES.match(text, at, limit):
        at = notes.end()
        if not text.startswith("#[", at) or at >= limit:
            field = _FIELD.match(text, at, limit)
            return field.group(1).replace("_", "-") if field else None
        closed = split(text, at + 1, "rust")
        if closed is None:
            return None
        at = closed[0] - 1
    return None


def _field_end(text: str, end: int) -> int:
    """The end of the line of an attribute's field; ``end`` if it has none."""
    if not text.startswith("]", end):
        return _chain_end(text, end)
    match = _FIELD_LINE.match(text, end + 1, end + _REACH)
    return match.end() if match else end


_REACHES = {"rust": _field_end, "go": _chain_end}
"""How far what belongs to a flag extends after its call."""


def _script(source: SideText, call: CodeCall) -> Read | None:
    if not (spec := literal(call.get("", 0))):
        return None
    names = tuple(_SPECIFIED.findall(spec)) if spec.startswith("-") else ()
    if call.callee[-6:].isalpha() and call.callee[:1] != "." and " " not in call.callee:
        texts = [t for p in call.positional if (t := literal(p)) is not None]
        return (_of_helper(source, call, [spec, *texts[1:]]) or (), None, None)
    if names:
        value = call.positional[-1] if len(call.positional) > 2 else None
        return names, None if value and _FUNCTION.search(value) else value, None
    options = call.get("", 1) or ""
    if not options.startswith("{") or not _YARGS.search(options):
        return None
    default = re.search(r"\bdefault\s*:\s*([^,}\n]+)", options)
    return (f"--{spec}",), default.group(1).strip() if default else None, None


def _c(_source: SideText, call: CodeCall) -> Read | None:
    if not call.callee:
        name = literal(call.get("", 0))
        kind = call.get("", 1) or ""
        return ((f"--{name}",), None, None) if name and kind.endswith("_argument") else None
    first = 1 if call.callee.startswith("ABSL") else 0
    name = call.get("", first)
    return ((f"--{name}",), call.get("", first + 1), None) if name else None


def _java(_source: SideText, call: CodeCall) -> Read | None:
    if call.callee in {".longOpt", ".accepts"}:
        name = literal(call.get("", 0))
        return ((f"--{name}",), None, None) if name else None
    if call.callee == ".addArgument":
        texts = [t for p in call.positional[:3] if (t := literal(p))]
        return tuple(t for t in texts if t.startswith("-")), None, None
    given = call.named.get("names") or call.named.get("name") or ""
    return tuple(re.findall(r'"(--?[\w-]+)"', given)), call.named.get("defaultValue"), None


def _ruby(source: SideText, call: CodeCall) -> Read | None:
    """A flag by its forms, or a symbol of which Thor makes one."""
    given = {m[1] or m[2]: m[3] for p in call.positional if (m := _PAIR.match(p))}
    if symbol := _SYMBOL.fullmatch(call.positional[0] if call.positional else ""):
        letters = re.findall(r"(?<![\w-])--?\w[\w-]*", given.get("aliases", ""))
        names = (f"--{symbol[1].replace('_', '-')}", *letters)
        thor = call.callee in {"class_option", "method_option"} or "Thor" in source.text
        return (names, given.get("default"), None) if thor else None
    forms = [t for p in call.positional if (t := literal(p)) and t[0] == "-" and " - " not in t]
    found = (n for t in forms for n in _SPECIFIED.findall(_EITHER.sub(r"--\1, --no-\1", t)))
    return tuple(found), given.get("default"), None


_PAIR = re.compile(r"(?::(\w+)\s*=>|(\w+):(?!:))\s*(.*)", re.DOTALL)
_EITHER = re.compile(r"--\[no-\]([\w-]+)")
_SYMBOL = re.compile(r":(\w{2,60})")

_READERS = {
    "python": _python,
    "go": _go,
    "rust": _rust,
    "javascript": _script,
    "typescript": _script,
    "c": _c,
    "cpp": _c,
    "cuda": _c,
    "java": _java,
    "ruby": _ruby,
}
