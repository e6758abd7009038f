"""The names that a mark, a warning or a sentence calls deprecated."""

from __future__ import annotations

import re

from digest.facts.languages import language_of
from digest.facts.message import INSTEAD, JOINED, NO_NAMES, QUOTED_NAME
from digest.facts.side_text import COMMENT, SideLines, indent_of

_LONGEST = 600  # characters of a line; longer ones are data

SAID_SO = re.compile(
    r"\b(?:is|are|was|were|has been|have been)\s+(?:now\s+|being\s+|set to be\s+)?"
    r"(?:deprecated|obsolete)\b"
)

_GOES = re.compile(r"\b(?:will|to) be removed\b")

_RENAMED_THING = re.compile(
    r"\b(?P<name>[A-Za-z_][\w.]{2,80})[`']{0,2}"
    r"(?: (?:argument|attribute|field|option|parameter|setting))?"
    r" (?:has been|was|is) (?:renamed|moved) .{0,200}"
    r"\b(?:old|original|previous) name (?:will be removed|is (?:now )?deprecated)\b"
)
_IMPORTED = re.compile(
    r"\b[Ii]mporting [`'\"]{0,2}(?P<name>\w{2,80})[`'\"]{0,2} from"
    r" [`'\"]{0,2}(?P<module>[\w.]{2,80})\b"
)
_JOINT = re.compile(r"([\"'])[fr]?\1")  # where a text ends and continues on the next line
_JOINED_TEXT = re.compile(r"([\"']) [fr]?\1")
_RUNS_ON = re.compile(r"^\s*[fr]?[\"'][A-Z].{0,300}\w [\"']$")
"""A line of a text whose sentence goes on below."""

_PROSE = re.compile(r"[A-Z][a-z]+(?: [a-z]+){1,8} ?")

OWNER = re.compile(
    r"\b[Nn]ame\s*[=:]\s*[\"'](?P<named>[\w:.-]{2,100})[\"']|[\"'](?P<flag>--[\w.-]{2,80})[\"']"
    r"|(?:[fF]lag\w{0,20}\((?:\w{1,40},\s*)?|\.long\(|\.[A-Z]\w{2,20}VarP?\((?:&?[\w.]{1,60},\s*)?)\"(?P<bare>[\w.-]{2,80})\""
)

_ALIAS_NAME = re.compile(
    r"[Dd]eprecated(?: alias (?:of|for))?:? [`'\"]{1,2}(?P<name>-{0,2}[\w.:-]{2,80})[`'\"]"
)

_CALLED_ALIAS = re.compile(
    r"[`'\"]{1,2}(?P<name>-{0,2}[\w.:-]{2,80})[`'\"]{1,2} is (?:an?|the) (?:now )?"
    r"deprecated (?:alias|name|synonym)\b"
)

_ITEM = re.compile(r"[\s,]([\w.-]{3,80}) \((?:DEPRECATED|[Dd]eprecated)\)")

_DEFINED = re.compile(
    r"\s*(?:export\s+|default\s+|pub(?:\([\w:\s]{1,40}\))?\s+|public\s+"
    r"|protected\s+|private\s+|static\s+|final\s+|abstract\s+"
    r"|async\s+|const\s+|unsafe\s+|inline\s+|virtual\s+){0,6}"
    r"(?:def|class|fn|func|function|struct|enum|trait|type|interface"
    r"|mod|macro_rules!|let|var|val)\s+"
    r"(?:\([^()]{0,80}\)\s*)?(?P<name>[A-Za-z_]\w{0,80})"
)

_STATEMENT = r"(?!(?:if|elif|elsif|unless|while|until|for|when|return|raise|throw)\b)"
"""No statement begins here, though it may look like a type before a name: *if defined?(X)*."""

_METHOD = re.compile(
    rf"\s*{_STATEMENT}"
    r"(?:(?:public|protected|private|static|final|abstract|async|export|declare|readonly"
    r"|const|pub)\s+){0,5}(?:[\w<>\[\],.?]{1,80}\s+)?(?:r#)?(?P<name>[A-Za-z_]\w{0,80})"
    r"(?:\?|!)?\s*(?:[(=;]|:(?!:))"
)

_CONSTRUCTOR = re.compile(r"\s*(?:public|protected)\s+(?P<name>[A-Z]\w{0,80})\(")

_C_FIELD = re.compile(
    r"\s*(?:(?:const|static|virtual|inline|extern|explicit)\s+){0,3}"
    r"[\w:<>,*&]{1,80}[\s*&]{1,8}(?P<name>[A-Za-z_]\w{0,80})\s*[;=({]"
)

_MEMBER_VALUE = re.compile(
    r"\s*\w+:\s*(?:['\"`\d\[{]|true\b|false\b|null\b|undefined\b).*,\s*(?://.*)?$"
)

_CALL = re.compile(r"\s*[a-z_]\w*\(.*[\"'].*\);\s*$")
"""A statement that calls a function with a text, which looks like a declaration."""

_SUBJECT = re.compile(
    r"(?:(?P<set>[A-Za-z_]\w*(?:[._-]\w+)+)"
    r"(?:[`'\"]?\s+(?:(?:set )?(?:to|as) )?|=)[`'\"](?P<to>[\w.-]+)[`'\"]{1,3}"
    r"|[`'\"]{1,2}(?P<quoted>-{0,2}[A-Za-z_][\w.:/-]{1,80})(?:\(\)|=(?P<value>\S{1,40}?))?[`'\"]{1,2}"
    r"|(?<![\w.%])(?P<bare>-{0,2}[A-Za-z_][\w.:-]{1,80})(?:\(\))?)"
    r"(?:\s+(?:command[- ]line|configuration|config|environment|feature|server|[Cc]lass|function"
    r"|method|option|flag|field|parameter|param|argument|setting|metric|label|key|variable"
    r"|attribute|property|API|api|endpoint|value|annotation|constant|alias|hook)s?){0,3}"
    r"(?:\s+\([^()]{0,60}\))?[\s,*_]*$"
)

_DOING = re.compile(r"\W{0,8}[A-Z][a-z]+ing\b")
"""The beginning of a sentence about what users do with a name, which itself stays."""

_WITHOUT = re.compile(r"\b(?:[Oo]mitting|[Nn]ot \w+ing|[Ll]eaving)\b")
"""What is said of those who leave a name out, which will be asked for."""

_OF = re.compile(
    r"\s+(?:of|on|in|to|for|from|with)(?: the)?(?: (?:class|function|method|metric|module))?\s+$"
)
_SENTENCE = re.compile(r"[.;!?]\s+|:\s+")
_THIS = re.compile(r"(?:\b|_)(?:[Tt]his|[Ii]t|[Tt]hese)\b(?:\s+\w+){0,2}\s*$")
_ATTRIBUTE_LINE = re.compile(r"\s*(?:[@#*/]|\[(?!\w+: <)|template\s*<|$)")
_MEMBER = re.compile(r"\s*(?P<name>[A-Za-z]\w{2,80})\s*(?:=[^=,;()]{1,80})?,?\s*(?://.*)?$")
_VARIANT = re.compile(r"\s+(?P<name>[A-Z][a-z]\w{0,80})\s*[({]")
_TRAILING = re.compile(r"\s*(?P<code>[^/#\s(][^/#(]{0,200}+)(?://|#)\s*D(?:EPRECATED|eprecated)\b")
"""Code whose own line says that it is deprecated."""

_AFTER_MARK = re.compile(
    r".*\[\[deprecated(?:\([^()]*\))?\]\](?P<code>.*\w.*)|\s*@Deprecated (?P<member>.*\w.*)"
)
_SCRIPTS = frozenset({"javascript", "typescript"})
_C_LIKE = frozenset({"c", "cpp", "cuda", "rust"})
_CODE_LIKE = re.compile(r"[_.:\d]|^-|[a-z][A-Z]|^[A-Z]{3,}")

MARKED_AS = re.compile(
    r"Mark\w{0,20}Deprecated\(\s*\"(?P<flag>[\w.-]{2,80})\""
    r"|(?P<field>\w{2,80})\s*(?::[^=]{1,80})?=\s*\w[\w.]*\(.{0,200}\bdeprecate\w{0,4}\s*=\s*(?:[Tt]rue\b|[\"'])"
)

_DECLARES = re.compile(r"\w*(?:argument|config|flag|option|param|setting)\w*\((?P<given>.*)")
_DECLARED = re.compile(
    r"\s*(?:[\"']-\w[\"'],\s*)?[\"'](?P<name>--[\w-]{2,80}|\w{1,40}(?:\.\w{1,60}){1,5})[\"'],"
)

CALLED = re.compile(
    r"(?!\s*(?:@(?!\w{0,20}deprecated_(?:arg|flag|option|param))|def|#))(?:.{0,100}[\s.:=(])?"
    r"@?\w{0,40}[dD]eprecat\w{0,40}(?:\.[A-Z]\w{1,30})?"
    r"\((?:\w{1,20}, )?(?:\s*(?:#.{0,80})?$|[\"'](?:[A-Z]|--|(?:[a-z]+ ){0,5}[a-z]\w*\.\w))"
)
"""The beginning of a call that deprecates the variable, flag or setting that it is given."""

_GIVEN = re.compile(
    r"[dD]eprecat\w{0,40}(?:\.[A-Z]\w{1,30})?\((?:\w{1,20}, )?\s*+[\"']"
    r"(?P<name>[A-Z][A-Z0-9]*+_[A-Z0-9_]++|--[\w-]++"
    r"|(?:[a-z]+ ){0,5}+(?P<dotted>[a-z]\w*+(?:\.\w++)++))(?:/--[\w-]++)?[\"']"
    r"(?:,\s*+(?:\w++=)?[\"'](?P<when>v?\d[\w.]*+)[\"'])?"
    r"(?:,\s*+(?:\w++=)?[\"'](?:[^\"'-]{0,60}(?=--))?"
    r"(?P<new>-{0,2}[a-z_](?:[\w-]|\.(?=\w))*+)(?=[\"' .]))?"
)

_DIRECTIVE = re.compile(r"\s*(?:\.\. deprecated::|!!! )")  # not "#:", which is above its name

_HEADING = re.compile(
    r"(?:#{1,6}\s+|\.\. (?:setting|option|confval|py:\w+)::\s*)?[`*{]{0,3}"
    r"(?P<name>-{0,2}\w[\w.=-]{2,80})[`*}]{0,3}(?:\s*\(.{0,80}\))?\s*$"
)


def _is_known(name: str, sheet: SideLines, lines: dict[int, str]) -> bool:
    """Whether code defines a name or contains it as a string, so that it is the project's own.

    A constant that code reads from a module of the project, such as ``envs.NAME``, is, too.
    """
    last = re.split(r"[.:]+", name.partition("=")[0])[-1].lstrip("-")
    known = re.compile(
        rf"[\"'`.](?:--)?{re.escape(last)}[\"'`=]|(?<![\w.]){re.escape(last)}\??\s*[:=(]"
        + (rf"|\b(?:envs?|settings)\.{re.escape(last)}\b" if last.isupper() else "")
    )
    field = re.compile(rf"\s*{re.escape(last)}\s+[\w*&\[]")
    texts = sheet.whole or tuple(lines.values())
    return any(
        last in text and (known.search(text) or (field.match(text) and not COMMENT.match(text)))
        for text in texts
        if len(text) < _LONGEST
    )


def given(sheet: SideLines, lines: dict[int, str], first: int) -> re.Match[str] | None:
    """The variable that a call deprecates, with its last version and its replacement.

    The line with its name may be an old one, which a new call is put around.
    """
    kept = dict(enumerate(sheet.whole[first - 1 : first + 4], first))
    near = (lines.get(n) or kept.get(n, "") for n in range(first, first + 5))
    call = " ".join(line.partition("  #")[0].strip() for line in near)
    return _GIVEN.search(call) if CALLED.match(lines[first]) else None


def deprecated_names(
    sheet: SideLines, lines: dict[int, str], first: int, detail: str, *, docs: bool
) -> list[str]:
    """What a mark or a sentence deprecates, never the replacement it recommends."""
    if detail == "option":
        name = language_of(sheet.path) == "python" and _declared_above(sheet, lines[first], first)
        return [name] if name else []
    if detail == "mark":
        named = [_named_by_mark(sheet, lines, first, docs=docs)]
    else:
        named = _named_by_sentence(sheet, lines, first, detail, docs=docs)
    return [name for name in named if not _VERSION.fullmatch(name)]


_VERSION = re.compile(r"v?\d+(?:\.[\dx]+)*+[\w.-]*")


def _named_by_sentence(
    sheet: SideLines, lines: dict[int, str], first: int, detail: str, *, docs: bool
) -> list[str]:
    """What a sentence on a line, or one that runs on to the next, deprecates."""
    line = lines[first]
    near = "".join(lines[n].strip() for n in range(max(1, first - 2), first + 1) if n in lines)
    if old := _RENAMED_THING.search(_JOINT.sub("", near)):
        own = old["name"].rpartition(".")[2]
        kept = f".{own}`" in old[0][old.end("name") - old.start() + 1 :]  # it only moved
        return [old["name"] if kept else own]
    said = " ".join(lines[n].strip() for n in range(max(1, first - 1), first + 3) if n in lines)
    runs_on = _RUNS_ON.search(lines.get(first - 1, ""))
    for clause in (_JOINED_TEXT.sub("", said),) if runs_on else (line, said):
        if (match := SAID_SO.search(clause)) is not None:
            subject = _SENTENCE.split(clause[: match.start()])[-1]
            if _WITHOUT.search(subject):
                return []
            if taken := _IMPORTED.search(subject):
                return [f"{taken['module']}.{taken['name']}"]
            if not _THIS.search(subject):
                return [
                    name
                    for name in _subjects(subject)
                    if docs or name.startswith("-") or _is_known(name, sheet, lines)
                ]
    if match := _GOES.search(said):
        subject = _SENTENCE.split(said[: match.start()])[-1]
        prose = _PROSE.fullmatch(subject) and not SAID_SO.search(line)
        if prose and not _THIS.search(subject):  # "Support for such values"
            return []
    if docs and (match := SAID_SO.search(line)):  # "this flag is deprecated"
        name = _headed(sheet, first)
    else:
        name = _named_around(sheet, lines, first, detail)
    return [name] if name and name[-1] != ":" else []


def _named_by_mark(sheet: SideLines, lines: dict[int, str], first: int, *, docs: bool) -> str:
    """The name of a mark: above its definition, below a heading, or in its arguments."""
    if match := MARKED_AS.search(lines[first]):
        return f"--{match['flag']}" if match["flag"] else match["field"]
    if CALLED.match(lines[first]):
        call = given(sheet, lines, first)
        return (call["dotted"] or call["name"]) if call else ""
    if not _DIRECTIVE.match(lines[first]):
        return _marked(sheet, lines, first)
    if docs:
        return _headed(sheet, first)
    described = _described(sheet, first)
    return _enclosing(sheet, first) if described is None else described


def _described(sheet: SideLines, line: int) -> str | None:
    """The parameter whose description in a docstring contains a directive.

    An empty text if the directive is within another part of the docstring, and ``None`` if it is
    about the definition itself.
    """
    marked = sheet.whole[line - 1] if line <= len(sheet.whole) else ""
    outer = (t for t in sheet.above(line, 40) if t.strip() and indent_of(t) < indent_of(marked))
    head = next(outer, "")
    if not head or _DEFINED.match(head) or head.lstrip().startswith((")", '"', "'")):
        return None
    match = _PARAMETER.match(head)
    return match["name"] if match else ""


_PARAMETER = re.compile(
    r"\s+(?::(?:param|parameter|arg|argument|key|keyword)(?: [\w.]{1,40})? )?"
    r"\*{0,2}(?P<name>[A-Za-z_]\w{0,80})(?:\s?$| ?:.| \()"
)
"""The line of a docstring that names a parameter, as numpy, Google and Sphinx write it."""


def _declared_above(sheet: SideLines, line: str, number: int) -> str:
    """The option whose declaration has an argument on a line of its own."""
    depth, first = indent_of(line), ""
    for above in sheet.above(number, 40):
        if above.strip() and indent_of(above) < depth:
            call = _DECLARES.search(above)
            name = _DECLARED.match((call["given"] or first) if call else "")
            return name["name"] if name else ""
        first = above if indent_of(above) == depth else first
    return ""


def _headed(sheet: SideLines, line: int) -> str:
    """The name alone on a line above, as a heading or the signature of a section."""
    for above in sheet.above(line, 12):
        match = _HEADING.fullmatch(above.strip())
        name = match["name"] if match else ""
        if _CODE_LIKE.search(name) and name.lower() not in NO_NAMES:
            return "" if name.lstrip("v")[:1].isdigit() else name  # the heading of a version
    return ""


def _named_around(sheet: SideLines, lines: dict[int, str], first: int, detail: str) -> str:
    """What a sentence without a subject of its own is about."""
    line = lines[first]
    if line.lstrip().startswith(('"""', "'''")):  # below what it documents
        above = next(iter(sheet.above(first, 1)), "")
        return _defined_by(above, sheet)
    if match := _CALLED_ALIAS.search(line) or _ALIAS_NAME.search(line):
        return match["name"].strip(".:")
    if owner := _owner_of(sheet, first):
        if match := _ITEM.search(line):  # one value of a list, such as a feature
            return f"{owner}={match[1]}" if "feature" in owner else ""
        return owner
    if COMMENT.match(line):
        return _marked(sheet, lines, first)
    if match := _TRAILING.match(line):
        return _defined_by(match["code"].strip(), sheet)
    before = INSTEAD.split(line, maxsplit=1)[0]
    quoted = [n["name"] for n in QUOTED_NAME.finditer(before) if _CODE_LIKE.search(n["name"])]
    return quoted[0] if quoted else _enclosing(sheet, first) if detail == "warning" else ""


def _subjects(clause: str) -> list[str]:
    """The names right before ``is deprecated``, with at most their kind in between."""
    clause = clause[-200:]
    found = _SUBJECT.search(clause)
    if found and (owned := _OF.search(clause[: found.start()])):
        whole = _SUBJECT.search(clause[: owned.start()])  # "the method of the class"
        owner, member = _name_of(found), _name_of(whole)
        if _DOING.match(clause) and (member == "" or owner[:1].isupper()):
            return [f"{owner}.{member}"] if member.isidentifier() else []
        clause, found = (clause[: owned.start()], whole) if whole else (clause, found)
    names = [name] if (name := _name_of(found)) else []
    while names and found and (joined := JOINED.search(clause[: found.start()])):
        clause = clause[: joined.start()]
        if not (name := _name_of(found := _SUBJECT.search(clause))):
            break
        names.append(name)
    return [one for name in names[::-1] for one in _listed(name)]


def _listed(name: str) -> list[str]:
    """The names in a notation with alternatives: ``a.b/c`` means ``a.b`` and ``a.c``."""
    owner, dot, members = name.rpartition(".")
    alternatives = members.split("/")
    listed = dot and "/" not in owner and all(map(str.isidentifier, alternatives))
    return [f"{owner}.{member}" for member in alternatives] if listed else [name]


def _name_of(match: re.Match[str] | None) -> str:
    name = match["set"] or match["quoted"] or match["bare"] if match else ""
    plain = match is not None and match["bare"] and not _CODE_LIKE.search(name)
    plain = plain or name.endswith("Warning")
    if match is None or plain or name.lower() in NO_NAMES:
        return ""
    value = (match["to"] or match["value"] or "").strip("`'\"")
    only = value if value and not value.isupper() and value[0].isalnum() else ""
    return f"{name}={only}" if only else name.strip(".:,")  # the others of its values stay


def _owner_of(sheet: SideLines, line: int) -> str:
    """The flag or metric whose declaration contains a help text."""
    closed = 0  # brackets below a line that end what it begins
    here = sheet.whole[line - 1 : line] if sheet.whole else ()
    for number, above in enumerate((*here, *sheet.above(line, 6))):
        if number >= len(here):
            closed += above.count(")") - above.count("(")
        if closed <= 0 and (match := OWNER.search(above)):
            return match["named"] or match["flag"] or f"--{match['bare']}"
        if _DEFINED.match(above) or not above.strip():
            break
    return ""


def _marked(sheet: SideLines, lines: dict[int, str], mark: int) -> str:
    """The name defined below a mark, after other attributes and comments."""
    depth = 0
    for number in range(mark, mark + 24):
        line = lines.get(number)
        if line is None:
            line = sheet.whole[number - 1] if number <= len(sheet.whole) else None
        if line is None:
            return ""
        marked = number == mark or line.lstrip().startswith(("@Deprecated ", "[[deprecated"))
        beside = _AFTER_MARK.match(line) if marked else None
        if beside or (number > mark and depth <= 0 and not _ATTRIBUTE_LINE.match(line)):
            code = (beside["code"] or beside["member"]) if beside else line
            name = _defined_by(code, sheet)
            if name == "constructor":
                name = f"{_enclosing(sheet, mark)}.{name}".lstrip(".")
            return name if not _is_internal(sheet, mark) else ""
        depth += line.count("(") + line.count("[") - line.count(")") - line.count("]")
    return ""


def _is_internal(sheet: SideLines, line: int) -> bool:
    """Whether the comment that contains a line calls the thing internal."""
    for above in sheet.above(line, 8):
        if "@internal" in above:
            return True
        if "/**" in above or not COMMENT.match(above):
            break
    return any("@internal" in near for near in sheet.whole[line - 1 : line + 2])


def _defined_by(line: str, sheet: SideLines) -> str:
    """The name that a line defines, or gives to a member in C and C++."""
    language = language_of(sheet.path)
    if (_MEMBER_VALUE if language in _SCRIPTS else _CALL).match(line):
        return ""
    if language == "java" and (made := _CONSTRUCTOR.match(line)):
        return f"{made['name']}.{made['name']}"
    match = _DEFINED.match(line) or _METHOD.match(line) or _C_FIELD.match(line)
    if match is None and language in _C_LIKE:
        match = _MEMBER.match(line) or (_VARIANT.match(line) if language == "rust" else None)
    name = match["name"] if match else ""
    return "" if name.startswith("_") or name == "module" or "namespace" in line else name


def _enclosing(sheet: SideLines, line: int) -> str:
    for above in sheet.above(line, 40):
        if (match := _DEFINED.match(above)) and " let " not in above:
            return "" if match["name"].startswith("_") else match["name"]
    return ""


_TYPE = re.compile(
    r"(?:export\s+|default\s+|declare\s+|abstract\s+|public\s+|static\s+|final\s+){0,5}"
    r"(?:class|interface|struct)\s+(?:[A-Z][A-Z_]{2,40}\s+)?(?P<name>[A-Za-z]\w{1,80})"
    r"|(?:pub(?:\([^)]*\))?\s+)?(?:unsafe )?"
    r"(?:enum|trait|impl(?:<[^{}]{1,80}>)?(?: [^{}]{1,80} for)?) (?P<enum>\w{2,80})"
)
_LONGEST_TYPE = 2_000  # lines
_OWNED = frozenset({"cpp", "cuda", "java", "javascript", "python", "rust", "typescript"})
_ACCESS = re.compile(r"\s*(?:public|protected|private)\s*:\s*$")


def owner_of(sheet: SideLines, line: int, name: str) -> str:
    """The type whose member is marked as deprecated on a line; empty if it is not a member."""
    if language_of(sheet.path) not in _OWNED:
        return ""
    marked = sheet.whole[line - 1] if line <= len(sheet.whole) else ""
    depth = indent_of(marked) - marked.lstrip().startswith("*")
    for above in sheet.above(line, _LONGEST_TYPE) if marked[:1].isspace() else ():
        shallow = above.strip() and indent_of(above) < depth
        if shallow and not COMMENT.match(above) and not _ACCESS.match(above):
            match = _TYPE.match(above.lstrip())
            owner = (match["name"] or match["enum"]) if match else ""
            return owner if owner != name else ""
    return ""
