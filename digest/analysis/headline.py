"""The title of a change as a line for readers: the author's words without tags and noise.

"[ROCm][Bugfix] Handle an empty batch (#12)" becomes "Fix (ROCm): Handle an empty batch". The words
stay as the author wrote them, in every language; only what the tags, the scope and the paths say is
put before them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from digest.core.authors import code_as_spans, without_presented
from digest.core.change import FileStatus, printable
from digest.core.enums import Language
from digest.core.facts import Action, Area, FactKind, Facts, Subject
from digest.core.patterns import lazy
from digest.document import Code, Spans, Text
from digest.facts.exposure import is_sent
from digest.facts.paths import of_tools, pins_only
from digest.facts.subject import PRIVATE_FORK, strip_numbers, strip_tags
from digest.frozen import frozen
from digest.i18n import statement_text as words
from digest.i18n.phrase import Part, Phrase, join, list_in_words

_SCOPED = lazy(r"([\w ./+-]{2,48}?)\s?:(?:\s+(?=\S)|(?=[A-Z][a-z]+ ))")
_BEGUN = frozenset(["add", "allow", "enable", "implement", "remove", "support", "update", "use"])
"""Verbs before a colon that begin a title and are not its scope."""

_LONG_SCOPE = 4  # maximum words of a scope; more of them are a sentence that has a colon

_SAYS_SORT = lazy(r"(?:bug|hot)?[- ]?fix(?:es)?|perf(?:ormance)?|refactor(?:ing)?", re.IGNORECASE)

_WORD = lazy(r"[^\W_]+")

_SORT = lazy(r"(?<=\w)[ -](?:refactor(?:ing)?|perf(?:ormance)?|bugfix|clean-?up)$", re.IGNORECASE)

_SPLIT = lazy(r"[/,&|+ -]+")

_TAIL = lazy(
    r"\s*(?:\[(?:security|ci skip|skip ci)\]|\[#\d{1,9}\]|\((?:main|master|[\w-]{2,39}/\d{1,9})\)"
    r"|[(.;–-]\s?(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see) #\d{1,9}\)?"
    r"|[(\[](?:part\s?)?\d{1,3}\s?(?:/|of)\s?(?:\d{1,3}|[nNxX])[)\]])\s*$",
    re.IGNORECASE,
)

# Tags and scopes that only name the kind of change or say nothing; others name its subject.
_TOLD_ELSEWHERE = frozenset(
    """
    feat feature features new fix fixes bugfix bug hotfix perf performance optimization
    optimisation refactor refactoring cleanup chore chores misc minor small core doc docs
    documentation test tests testing ci build style deps dependency dependencies enhancement
    improvement revert wip be ux rfc easy nit nfc internal typo lint typing security breaking
    release follow up followup no ticket hardware change model models newmodel kernel kernels
    dev meta other unknown benchmark benchmarks bench example examples high moderate critical
    trivial update upgrade fixed added changed improved removed reland relanding
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
)

_PLATFORMS = {
    one.casefold(): one
    for one in """
    ROCm CUDA XPU TPU HPU NPU CPU Metal Vulkan Windows macOS Linux Android iOS Arm s390x ppc64le
    RISC-V Helm Docker Kubernetes
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
}

_FOLDERS = frozenset({"docker", "metal"})
"""Platforms whose names are also those of parts of programs: of a client, of a framework."""

_ALONE = {
    Area.TESTS: words.TESTS_ONLY,
    Area.CI: words.CI_ONLY,
    Area.DOCS: words.DOCS_ONLY,
    Area.BENCHMARKS: words.BENCHMARKS_ONLY,
    Area.EXAMPLES: words.EXAMPLES_ONLY,
}

_SORTS = (
    (
        words.FIX,
        frozenset({"fix", "fixed", "bugfix", "bug", "hotfix"}),
        ("fix", "bugfix", "hotfix", "add new ", "introduce "),
    ),
    (words.REMOVED, frozenset({"removed"}), ("remov", "drop", "delet")),
    (
        words.PERFORMANCE,
        frozenset({"perf", "performance", "optimization"}),
        ("perf", "optimi", "speed", "accelerat"),
    ),
    (words.REFACTORING, frozenset({"refactor", "refactoring", "cleanup"}), ("refactor", "clean")),
)
"""Labels, the types and tags that they stand for, and beginnings of titles that need no label."""

_VERBS = tuple(
    """
    abort abstract accelerat accept account adapt add adjust adopt advanc aggregat align allocat
    allow always annotat append apply assert attach authoriz auto-generat autodetect autogenerat
    automat avoid await backport bound bracket bring broaden bug build bump bundl bypass cache
    calculat call cancel canonicali capitali capture catch centrali change check clamp clarif
    classif clean clear clos coalesc coerc collaps collect combin compact compar compil complet
    comput configur connect consid consolidat consum contextuali continu convert copy correct
    count cover creat customi cut de-quot declar decod decoupl dedup default defer defin deflak
    delay delegat delet deprecat dequantiz dequot deriv describ detect disabl disallow
    disambiguat discard discover display distinguish document downgrad drain drop edit eliminat
    embed emit enabl encod enforc enhanc ensur escap establish evaluat evict exclud execut exit
    expand explain export expos extend externali extract factor fail fall fetch filter find
    finish fix flatten flush fold forbid forward free gate generali generat get give graduat
    group guard handl harden harmoni hide highlight hoist honor honour hook ignor implement
    improv includ increas infer inherit initiali inject inline insert install instrument
    integrat introduc invalidat invert isolat iterat keep launch lazily let lift limit link load
    log loosen lower maintain make manag mark match measur memoiz mention merg migrat minif
    minimi moderni modif mov narrow never normali notif offload omit only open optimi order
    organi overlap overrid pad parallel pars pass patch permit persist pick pin plug plumb
    populat port prefer prefetch preload prepar preserv prevent print prioriti promot propagat
    protect provid prun publish push quantiz quot rais re- read reapply rebas rebuild recogni
    recommend recomput reconcil record recover recreat recycl redact redirect redo reduc reenabl
    refactor refer refin reflect refresh refus regenerat register reimplement reinitiali
    reinstat reintroduc reject relax releas reload relocat remov renam render reorder reorgani
    repair replac replay replicat report reproduc requir rerout reserv reset resolv respect
    respond restart restor restrict restructur resubmit resum retain retir retry return reus revert
    revis reword rework rewrit rotat rout run saniti save schedul scope screen seal seed select send
    separat serializ set shard share ship short-circuit shorten show shrink shut silenc simplif
    skip sort spawn specif speed split stabili standardiz start stop store stream strengthen
    strip stub suggest support suppress surfac swap switch sync tak tap teach terminat throttl
    throw tidy tighten tolerat trac translat treat trigger trim truncat try tun turn tweak
    unblock undo unflak unhid unif unlock unpack unpin unregister unskip updat upgrad upload us
    utili valid vectoriz vendor verif wait warm warn widen wire wrap write yield
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
)
"""Beginnings of titles that say what is done; other titles name a thing."""

BEGINS = lazy(
    r"(?:in [^,]{2,40}, )?(?:(?:\w{2,20}ly|also|better|further|now) )?"
    rf"(?:do not |don't |error (?:if|on|when) |new |impl |(?:format|tag) (?!of )"
    r"|(?:[a-z][\w-]{1,20} ){1,3}(?:add|allow|discover|handle|ignore|respect)s? "
    r"|(?:[a-z][\w-]{1,20} ){1,3}supports |key (?:[\w-]{1,40} ){1,5}by "
    rf"|{'|'.join(_VERBS)})"
    r"(?!ors?\b|ers?\b|\w{0,3}ing\b|ied\b)"
)

DOES = lazy(
    r"(?:add|allow|chang|enabl|expos|improv|introduc|mak|mov|port|provid|support|us)ing\b"
    r"|auto-[a-z]{2,12}(?<!ion) |should [a-z]"
    r"|`[^`]{1,60}` [a-z]{2,20}[^s\W]s [a-z`]|[^:,]{3,60} (?:can now|now|will) [a-z]"
)
"""Beginnings of other titles that say what is done: "supporting ...", "`x` retries ..."."""

_MOSTLY = 5
_MUCH = 40  # lines
_IMPROVES = lazy(r"\b(?:optimi[sz]ation|improvement|enhancement|coverage)s?\b")
_FEATURES = frozenset({"added", "feat", "feature", "features"})

_SET = frozenset(
    {FactKind.CONFIG, FactKind.ENVIRONMENT, FactKind.FLAG, FactKind.METRIC, FactKind.ROUTE}
)

_SEEN = _SET | {FactKind.SCHEMA, FactKind.DEPRECATION, FactKind.SECURITY}

_MERGES = lazy(
    r"merge (?:branch|commit|main|master|pull|release|remote|tag|upstream|v?\d)", re.IGNORECASE
)
_THINGS = frozenset("backend command endpoint page parser plugin subcommand support".split())  # noqa: SIM905
"""Words of a short title that say well enough what is new."""

_LEAST = 2  # minimum number of words of content in a title that says what is different


@frozen
class Headline:
    """A title without its full stop; ``telling`` if it says what is different.

    ``inner``: it begins with a name of the code; ``brief``: it only names a new thing.
    """

    spans: Spans
    telling: bool
    inner: bool = False
    brief: bool = False


def headline(facts: Facts, language: Language, labels: Sequence[str] = ()) -> Headline:
    """The author's title, preceded by the kind of change and its subject."""
    scope, text = split_scope(facts.subject)
    where = _where(facts, text, labels)
    label = _label(facts, scope, text)
    content = {w.casefold() for w in _WORD.findall(text)} - _TOLD_ELSEWHERE
    if text == PRIVATE_FORK:
        return Headline(spans=_untitled_fix(facts, language), telling=True)
    return Headline(
        spans=_with_label(label, where, code_as_spans(_without_fix(text, label)), language),
        telling=(len(content) >= _LEAST and not _MERGES.match(text))
        or (label in _ALONE.values() and bool(content)),
        inner=_is_inner(facts, text),
        brief=label is words.NEW and len(content) < 2 * _LEAST and not content & _THINGS,
    )


def _untitled_fix(facts: Facts, language: Language) -> Spans:
    """A security fix of which the message says nothing, by the folders of its code."""
    core = [f for f in facts.files if f.area is Area.CORE] or facts.files
    folders = dict.fromkeys(f.path.rpartition("/")[0] or f.path for f in core)
    named: list[Part] = [Code(printable(folder)) for folder in folders]
    shown = list_in_words(named, language, limit=_LEAST)
    return words.PRIVATE_FIX(language, places=shown) if named else (Text(PRIVATE_FORK),)


def _is_inner(facts: Facts, text: str) -> bool:
    """Whether a title begins with a function, class or field of the code."""
    word = next(iter(text.split()[1:]), "").strip(".,()")
    named = "" if word.isalpha() and word.islower() else word.replace("`", "")
    symbols = (f.name for f in facts.of(FactKind.SYMBOL) if not is_sent(f))
    begins = named and BEGINS.match(text.lower())
    return bool(begins) and any(named in {s, s.rpartition(".")[2]} for s in symbols)


def split_scope(subject: Subject) -> tuple[str, str]:
    """The scope that the title itself begins with, or nothing, and the rest."""
    text = bare_title(subject)
    match = _SCOPED.match(text)
    if match and match[1].lower() in _BEGUN:
        return "", f"{match[1]} {text[match.end() :]}"
    most = _LONG_SCOPE - 2 * bool(subject.type)
    names = _WORD.findall(match[1]) if match else []
    acts = len(names) > 1 and BEGINS.match(text.lower()) and not text.lower().startswith("bug")
    short = len(names) <= most and not acts
    return (match[1], text[match.end() :]) if match and short else ("", text)


def subject_tags(subject: Subject, told: Collection[str] = ()) -> tuple[str, ...]:
    """The subjects of a change by its tags and scopes, each once, without ``told`` words."""
    given = (*subject.tags, subject.scope, split_scope(subject)[0])
    kept = [_SORT.sub("", one).replace("`", "") for one in given if one]
    names = {one.casefold(): one for one in kept if _says(one, told)}
    return tuple(_PLATFORMS.get(low, one) for low, one in names.items())


def title_text(subject: Subject) -> str:
    """The words of a title on one line; its place in a series if nothing else is left."""
    text = " ".join(subject.words.split())
    if len(_WORD.findall(text)) > 1 or (text and subject.type):
        return text
    whole, _ = strip_numbers(subject.title)
    return " ".join(strip_tags(whole)[0].split()) or text


def bare_title(subject: Subject) -> str:
    """The words of a title without its ending, and without words that a forge cut off."""
    text = _SQUASHED.split(title_text(subject), maxsplit=1)[0].rstrip(" .:;,")
    text = _ABOUT_ISSUE.sub("", text)
    while match := _TAIL.search(text):
        text = text[: match.start()].rstrip(" .:;,")
    if text.count("(") > text.count(")"):
        text = text[: text.rfind("(")].rstrip(" .:;,")
    if text[-1:] != "…":
        return text
    kept = text[:-1].split(" ")
    whole = kept if text[-2:-1] == " " else kept[:-1]
    first = max(len(whole) - _LEFT, _LEAST + 1)
    ends = [at for at in range(first, len(whole)) if whole[at].lower() in _CONNECTS]
    at = ends[-1] if ends else len(whole)
    lost = [word.lower() for word in kept[at:] if len(word) >= _LEFT]
    if any(limit.startswith(word) for word in lost for limit in _LIMITS):
        return text
    told = " ".join(whole[:at]).rstrip(" .:;,")
    return told if at < len(whole) or len(whole) == len(kept) else f"{told} …"


_SQUASHED = lazy(r" \(#\d{1,9}\) \* |(?<=[a-z]{3}): [-*] (?=[A-Z])")  # before a list
_ABOUT_ISSUE = lazy(r"^(?:bug|internal|issue) #\d{1,9}: (?=\S)", re.IGNORECASE)

_CONNECTS = frozenset(
    """
    a an and as at because by due during for from if in into of on or so that the to using via when
    with
    """.split()  # noqa: SIM905
)
_LIMITS = ("except", "unless", "when", "without")
"""Words before conditions; a title that is cut there would say something else if it ended."""

_LEFT = 3  # maximum words that a cut title loses after its last connecting word


def _with_label(label: Phrase | None, where: str, title: Spans, language: Language) -> Spans:
    if label and where:
        return words.LABELLED_WHERE(
            language, label=label.template(language), where=where, what=title
        )
    if label:
        return words.LABELLED(language, label=label.template(language), what=title)
    return join([f"{where}: ", *title]) if where else _capital(title)


def _label(facts: Facts, scope: str, text: str) -> Phrase | None:
    """The label: what the author declares, "tests only" and the like, or the kind of change."""
    subject = facts.subject
    kinds = _kinds(subject)
    if _SAYS_SORT.fullmatch(scope):
        kinds |= set(_SPLIT.split(scope.casefold()))
    if secures(facts):
        return words.SECURITY
    if subject.breaking:
        return words.BREAKING
    areas = {f.area for f in facts.files}
    if len(areas) == 1 and (phrase := _ALONE.get(next(iter(areas)))):
        return phrase
    if subject.scope.startswith("dep"):
        return None
    begin = text.lower()
    if _NAMES_FIX.fullmatch(begin) and not BEGINS.match(begin):
        return words.FIX
    sort = next(
        (p for p, names, known in _SORTS if kinds & names and not begin.startswith(known)), None
    )
    if begin.startswith("fus") and sort is not words.FIX:
        return words.PERFORMANCE
    if sort is None and _REWORKS.match(begin) and not _is_shown(facts):
        return words.REFACTORING
    acts = BEGINS.match(begin) or DOES.match(begin) or kinds & {"doc", "docs", "documentation"}
    return sort or (words.NEW if not acts and _is_new(facts, begin) else None)


def _is_shown(facts: Facts) -> bool:
    """Whether users may see the change: its settings, documented names or documentation."""
    documented = any(f.area is Area.DOCS for f in facts.files)
    return documented or any(f.public or f.kind in _SEEN for f in facts.items)


def _without_fix(text: str, label: Phrase | None) -> str:
    """A title that names what a fix is for, without the word that the label says."""
    named = label is words.FIX and _NAMES_FIX.fullmatch(text.lower())
    return text.rpartition(" ")[0] if named and not BEGINS.match(text.lower()) else text


_REWORKS = lazy(
    r"(?:consolidat|dedup|inlin|modulari|reorgani|restructur|simplif|tidy|unif)\w{0,10} "
    r"(?!.{0,80}\b(?:and add|error|fix|help|log|messag|output|print|warn))"
)
"""Beginnings of titles about the form of code, not about what a program shows."""

_NAMES_FIX = lazy(
    r"(?!(?:few|minor|misc|miscellaneous|more|multiple|several|small|some|various)\b)"
    r"(?:(?! and )[^,;]){1,200} (?:bug)?fix(?:es)?"
)  # of one thing


def _is_new(facts: Facts, begin: str) -> bool:
    """Whether a title that names a thing is about a new one.

    Its author says so, who calls it a feature or support; or nearly all code of the change is new,
    and its settings or files are, too, or it is much.
    """
    core = [f for f in facts.files if f.area is Area.CORE]
    added, deleted = sum(f.added for f in core), sum(f.deleted for f in core)
    named = begin.endswith((" support", " integration")) and " fix" not in begin
    if named or _kinds(facts.subject) & _FEATURES:
        return added > deleted
    acts = (one for one, after in pairwise(begin.split()) if after not in _CONNECTS)
    if " fix" in begin or any(one[-1] == "s" and BEGINS.match(one) for one in acts):
        return False  # "the reader checks what it gets"
    made = {f.kind for f in facts.items if f.action is Action.ADDED and f.public is not False}
    files = any(f.status is FileStatus.ADDED for f in core)
    shown = bool(files or made & _SET) or (added > _MUCH and not _IMPROVES.search(begin))
    return added > _MOSTLY * deleted and shown and FactKind.DEPRECATION not in made


def _kinds(subject: Subject) -> set[str]:
    return {subject.type, *(word for tag in subject.tags for word in _SPLIT.split(tag.casefold()))}


_SECURES = lazy(r"\[security\]|\bfor cves?\b|\bfix\w{0,3} (?:an? |the )?cves?\b", re.IGNORECASE)
_EXEMPTS = lazy(r"(?:add (?:an? )?)?(?:exempt|ignor|silenc|suppress|waive)", re.IGNORECASE)
"""Beginnings of titles that leave a weakness as it is."""


def secures(facts: Facts) -> bool:
    """Whether the author calls it a security fix: by type, scope, tag or an advisory."""
    advisory = any(f.detail == "advisory" for f in facts.of(FactKind.SECURITY))
    subject = facts.subject
    left = without_presented(subject.words)
    named = _SECURES.search(subject.title if left == subject.words else left)
    if not (advisory or named or "security" in {*subject.scope.split("/"), *_kinds(subject)}):
        return False
    if subject.type in {"doc", "docs"} or _EXEMPTS.match(subject.words):
        return False
    paths = [f.path for f in facts.files]
    return not of_tools(paths) and not pins_only(paths)


def _where(facts: Facts, text: str, labels: Sequence[str]) -> str:
    """The subject of a title: its tags and scope, or else the platform of all changed code."""
    told = {w.strip("\"'`.,;()").casefold() for w in text.split()}
    told |= {w.casefold() for path in text.split() if "/" in path for w in _WORD.findall(path)}
    if names := subject_tags(facts.subject, told):
        names = tuple(_as_written(name, facts.subject.title) for name in names)
        return ", ".join(map(_pointed, names))
    if facts.areas[:1] in {(Area.BUILD,), (Area.LOCKFILE,)}:
        labels = ()  # most of the change is about what the project requires
        paths = []
    else:
        paths = [f.path.casefold() for f in facts.files if f.area is Area.CORE]
    common = set.intersection(*({*_WORD.findall(p)} for p in paths)) if paths else set()
    named = ((common - _FOLDERS) | {label.casefold() for label in labels}) - told
    return next((name for low, name in _PLATFORMS.items() if low in named), "")


def platforms_of(facts: Facts, paths: Sequence[str], text: str) -> str:
    """The platforms that the tags or all of the paths name and a text does not."""
    tagged = {w.casefold() for tag in subject_tags(facts.subject) for w in _PARTS.findall(tag)}
    common = set.intersection(*({*_PARTS.findall(p.casefold())} for p in paths)) if paths else set()
    named = (tagged | (common - _FOLDERS)) - {w.casefold() for w in _PARTS.findall(text)}
    return ", ".join(name for low, name in _PLATFORMS.items() if low in named)


_PARTS = lazy(r"[^\W_]+")


def _as_written(scope: str, title: str) -> str:
    """A scope, which is kept in small letters, as its author writes it."""
    at = title.lower().find(f"({scope})") + 1
    return title[at : at + len(scope)] if at else scope


def _pointed(tag: str) -> str:
    """A tag that is a path, without the parts that are mentioned elsewhere."""
    parts = [part for part in tag.split("/") if part.casefold() not in _TOLD_ELSEWHERE]
    return "/".join(parts).strip("/") if tag.count("/") > 1 else tag


def _says(tag: str, told: Collection[str]) -> bool:
    """Whether a tag names something that the title does not."""
    mine = {w.casefold() for w in _WORD.findall(tag)} - _TOLD_ELSEWHERE
    counted = tag.isdigit() or "#" in tag or _PLACE.fullmatch(tag)
    return bool(mine) and not mine.issubset(told) and not counted


_PLACE = lazy(r"\d{1,3}[a-z]?/[\dnNxX]{1,3}")  # in a series


def _capital(spans: Spans) -> Spans:
    """The spans with a capital letter if they begin with a lower-case word of plain English."""
    first = spans[0] if spans else None
    if not isinstance(first, Text):
        return spans
    word, _, rest = first.text.partition(" ")
    word = word.rstrip(":,")
    if not (word.replace("-", "").isalpha() and word.islower()) or rest.startswith("- "):
        return spans  # a name as it is written
    return (Text(first.text[0].upper() + first.text[1:]), *spans[1:])
