"""Readings of what the asker uses: the profile, alerts about it, and whether it is affected."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digest.core.enums import Alerts
from digest.core.patterns import lazy
from digest.core.profile import EntryKind, InvalidEntry, ProfileEntry, parse_entry
from digest.question.asked import Asked, Weighed, rule
from digest.question.commit_range import Refs
from digest.question.intent import Affected, Alert, EditProfile, Enquiry, ProfileFrom, ShowProfile
from digest.question.lexicon import PHRASES, says
from digest.window import Window

_US = r"(?:me|us|my \w+|our \w+|what (?:i|we) use)"
_AFFECTED = lazy(
    r"(?:am i|are we|is (?:my|our) [\w -]{1,30}) (?:affected|hit|impacted|broken)(?: by .{1,40})?"
    rf"|(?:what|which(?: changes| commits| prs)?|does (?:anything|something|this)|did anything|"
    rf"anything(?: that)?|changes(?: that)?|(?:do|did|will|could|can|might|would) "
    rf"(?:any(?: of)? )?(?:the |these |those )?(?:anything|changes|commits|prs|updates))"
    rf" (?:may |might |could |can |will |going to )?"
    rf"(?:affects?|breaks?|hits?|impacts?|broke|touch(?:es)?) {_US}"
    r"|(?:will|would|could|can|did|does) (?:my|our) [\w-]{1,20}(?: [\w-]{1,20})?"
    r" (?:break|be (?:affected|broken|hit|impacted))"
    r"(?: (?:by|with|after) (?:the )?(?:changes|commits|updates))?"
    r"|affected(?: changes)?|what affects (?:me|us)|impact on (?:me|us)"
    r"|(?:会|有|有没有|是否|哪些|什么|有什么|有哪些)*(?:变更|改动|提交)?(?:会|可能)?(?:影响|破坏|波及)"
    r"(?:到|了)?(?:我们?|咱们)(?:的\w{1,8})?"
    r"(?:吗|么|呢)?"
    r"|(?:我们?|咱们)(?:的\w{1,8})?(?:会|有没有|是否|会不会)?(?:受到?|被)影响(?:吗|么|呢)?"
    r"|受影响的?(?:变更|改动)?",
    re.IGNORECASE,
)
_MINE = r"(?P<mine>my |我的 ?)?(?:our |the |show |我们的 ?)?"
_PROFILE = r"(?:profile|档案|画像|依赖清单)"
_SHOW = lazy(
    rf"(?:show |list |see |查看 ?|显示 ?)?{_MINE}{_PROFILE}|what do (?:i|we) use|我们?用了什么",
    re.IGNORECASE,
)
_ADD = lazy(
    rf"(?:{_MINE}{_PROFILE}[:：]? ?(?:add|\+|添加|增加|加入|加上?)"
    rf"|add to {_MINE.replace('mine', 'mine2')}{_PROFILE}) ?[:：]? ?(?P<what>.+)"
    r"|(?:i|we) (?:use|depend on|rely on)[:]? (?P<used>.+)|我们?(?:使用|依赖|用)[:：]? ?(?P<zh>.+)",
    re.IGNORECASE,
)
_REMOVE = lazy(
    rf"{_MINE}{_PROFILE}[:：]? ?(?:remove|delete|drop|删除|移除|去掉) ?[:：]? ?(?P<what>.+)",
    re.IGNORECASE,
)
_CLEAR = lazy(
    rf"{_MINE}{_PROFILE}[:：]? ?(?:clear|reset|empty|清空|重置)|(?:clear|reset|清空|重置) ?"
    rf"{_MINE.replace('mine', 'mine2')}{_PROFILE}",
    re.IGNORECASE,
)
_FROM = lazy(
    rf"{_MINE}{_PROFILE}[:：]? ?(?:from|来自|取自|从) ?(?P<what>\S{{1,300}})", re.IGNORECASE
)
_ALERTS = {
    Alerts.ALL: re.compile(
        r"(?:turn |switch )?(?P<mine>my )?alerts? (?:about |on )?(?:all|everything|every change)"
        r"|alert (?:me|us) (?:about|of|on) (?:all(?: changes)?|everything|every change)"
        r"|(?:开启|打开|启用)?(?P<mine2>我的)?(?:全部|所有)(?:变更)?提醒",
        re.IGNORECASE,
    ),
    Alerts.BREAKING: re.compile(
        r"(?:turn |switch )?(?P<mine>my )?alerts?(?: me)? on"
        r"|(?:turn|switch) on (?P<mine2>my )?alerts?|(?:please )?alert (?:me|us)(?: at once)?"
        r"|(?:开启|打开|启用)(?P<mine3>我的)?提醒",
        re.IGNORECASE,
    ),
    Alerts.OFF: re.compile(
        r"(?:turn |switch )?(?P<mine>my )?alerts? off|(?:turn|switch) off (?P<mine2>my )?alerts?"
        r"|(?:stop|no more|no) (?P<mine3>my )?alerts?|(?:关闭|停止|取消)(?P<mine4>我的)?提醒",
        re.IGNORECASE,
    ),
}
_AT_ONCE = r"(?:,? (?:at once|immediately|right away|straight away|as it happens))?"
_NOTIFY = rf"(?:please )?(?:(?:tell|alert|notify|ping|warn) (?:me|us)|let (?:me|us) know){_AT_ONCE}"
_WHEN = r",? (?:when(?:ever)?|if|as soon as|every time|each time)"
_SOMETHING = r"(?:anything|something|any file|a file)"
_ZH_CHANGED = (
    r"(?P<{0}>.{{1,120}}?) ?(?P<{1}>提交|合入|合并|推送|有|发生)?了? ?"
    r"(?:代码|新?的?变化|新?的?变更|新?的?改动|更新|修改|东西)"
)
_ZH_NOTIFY = (
    r"[,， ]*(?:请|就)?(?:马上|立刻|立即|第一时间|及时)?(?:告诉|通知|提醒)(?:一下)?(?:我们?|咱们)"
)
_WATCH = lazy(
    r"(?:(?:please )?(?:watch|keep an eye on|keep watch over) |(?:请)?(?:盯住|盯着|监视)[:： ]*)"
    r"(?!out\b|for\b)(?P<what>.{1,200})"
    rf"|{_NOTIFY} (?:about|of|on) (?:any |all )?(?:changes|commits)"
    r" (?P<kind>in|to|by|of|from) (?P<in>.{1,200})"
    rf"|{_NOTIFY}{_WHEN} (?P<who>.{{1,120}}?) (?:commits|merges|pushes|lands|submits|changes)"
    rf"(?: (?:anything|something|code|a change|changes))?{_AT_ONCE}"
    rf"|{_NOTIFY}{_WHEN} {_SOMETHING} (?:changes|is changed|is touched) (?:in|under|of|about) "
    rf"(?P<in2>.{{1,200}}?){_AT_ONCE}"
    rf"|{_NOTIFY}{_WHEN} (?:someone|somebody|anyone|anybody) (?:changes|touches|edits|modifies) "
    rf"(?P<in3>.{{1,200}}?){_AT_ONCE}"
    rf"|{_NOTIFY}{_WHEN} (?P<in4>.{{1,200}}?) (?:is|are|gets?) "
    rf"(?:changed|updated|touched|edited|modified){_AT_ONCE}"
    rf"|(?:只要|一旦|如果|每当|当) ?{_ZH_CHANGED.format('zh', 'did')}"
    rf"(?:时|后|的时候|的话|了)?{_ZH_NOTIFY}"
    rf"|{_ZH_CHANGED.format('zh2', 'did2')}(?:时|后|的时候|的话|[,，]? ?就){_ZH_NOTIFY}",
    re.IGNORECASE,
)
_OF_THESE = lazy(r"[,，、;；]| and |和|以及", re.IGNORECASE)
_PARTS = lazy(r"[\s,，、;；]+|\band\b|和|以及", re.IGNORECASE)


def read_profiling(words: str) -> Enquiry | None:
    """The intent without its window, ``None`` for another subject. Raises ``InvalidEntry``."""
    if _AFFECTED.fullmatch(words):
        return Affected()
    if match := _SHOW.fullmatch(words):
        return ShowProfile(mine=_mine(match))
    if match := _CLEAR.fullmatch(words):
        return EditProfile(clear=True, mine=_mine(match))
    if match := _FROM.fullmatch(words):
        return ProfileFrom(place=match["what"].strip("\"'`<>"), mine=_mine(match))
    if match := _REMOVE.fullmatch(words):
        return EditProfile(remove=_entries(match["what"]), mine=_mine(match))
    if match := _ADD.fullmatch(words):
        return _addition(match)
    for alerts, pattern in _ALERTS.items():
        if match := pattern.fullmatch(words):
            return Alert(alerts=alerts, mine=_mine(match))
    if match := PHRASES["unwatch"].fullmatch(words):
        return EditProfile(remove=_watched(match["what"] or match["zh"]))
    if (match := _WATCH.fullmatch(words)) and not words.endswith("?"):
        return _watch(match)
    return None


def _watch(match: re.Match[str]) -> Alert | None:
    """Alerts about what is named; of authors alone, alerts about the rest stay as they are."""
    named = next(match[group] for group in _NAMED if match[group])
    by = (match["kind"] or "").lower() in {"by", "from"}
    by = by or (match["did"] or match["did2"]) in _MADE
    by = by or bool(match["who"] and says(match[0], "commits_named"))
    try:
        entries = _watched(named, EntryKind.AUTHOR if by else None)
    except InvalidEntry:
        return None
    if not entries:
        return None
    only = all(entry.kind is EntryKind.AUTHOR for entry in entries)
    return Alert(alerts=Alerts.BREAKING if only else Alerts.ALL, add=entries)


_NAMED = ("what", "in", "who", "in2", "in3", "in4", "zh", "zh2")
_MADE = frozenset({"提交", "合入", "合并", "推送"})


def _watched(written: str, kind: EntryKind | None = None) -> tuple[ProfileEntry, ...]:
    """The entries that a text names; of several words, those that look like code, else all as one.

    ``kind`` is that of entries without a prefix. Raises ``InvalidEntry``.
    """
    entries, rest = _quoted(written)
    for part in _OF_THESE.split(rest):
        name = re.sub(r"^(?:the|our|any) ", "", part.strip("\"'` "), flags=re.IGNORECASE)
        if not name or PHRASES["no_subject"].fullmatch(name):
            continue
        if match := PHRASES["author_named"].fullmatch(name):
            author = match["name"] or match["of"] or match["zh"]
            entries.append(ProfileEntry(kind=EntryKind.AUTHOR, name=author[:_LONGEST].strip()))
            continue
        read = [parse_entry(word) for word in name.split()]
        code = [one for one in read if one.kind is not EntryKind.TOPIC or ":" in name]
        if kind is None or code:
            entries += code or [parse_entry(f"topic:{name}")]
        else:
            entries.append(parse_entry(f"{kind}:{name}"))
    return tuple(entries)


_LONGEST = 100  # characters of an author's name
_QUOTED = lazy(r"""\b[a-z]{3,8}[:=](?:"[^"]{1,200}"|“[^”]{1,200}”)""", re.IGNORECASE)


def _quoted(written: str) -> tuple[list[ProfileEntry], str]:
    """The entries with quoted names, and the rest."""
    return [parse_entry(one) for one in _QUOTED.findall(written)], _QUOTED.sub(" ", written)


@rule
def affected(asked: Asked) -> Iterator[Weighed]:
    """Whether what the asker uses is affected, within a period or a range."""
    rest = " ".join(t.text for t in asked.tokens if t.slot is None)
    if len(asked.spans) != 1 or len(asked.tokens) != sum(
        t.slot is None or isinstance(t.slot, Window | Refs) for t in asked.tokens
    ):
        return
    if isinstance(read_profiling(rest if rest.isascii() else rest.replace(" ", "")), Affected):
        yield Weighed(9.0, Affected(window=asked.span))


def _addition(match: re.Match[str]) -> EditProfile | None:
    if match["what"]:
        return EditProfile(add=_entries(match["what"]), mine=_mine(match))
    if says(match[0], "asks_about_use"):
        return None
    try:
        entries = _entries(match["used"] or match["zh"])
    except InvalidEntry:
        return None
    # "We use it a lot" names nothing; a real entry looks like code somewhere.
    told = any(re.search(r"[-_/.:*\d]|[a-z][A-Z]", entry.name) for entry in entries)
    return EditProfile(add=entries) if told else None


def _entries(written: str) -> tuple[ProfileEntry, ...]:
    entries, rest = _quoted(written)
    return (*entries, *(parse_entry(part) for part in _PARTS.split(rest) if part.strip("\"'` ")))


def _mine(match: re.Match[str]) -> bool:
    return any(value for name, value in match.groupdict().items() if name.startswith("mine"))
