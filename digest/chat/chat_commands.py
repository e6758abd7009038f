"""Commands about the chat itself, read by a fixed grammar in English and Chinese.

A text is a command only as a whole: a question that merely starts like one is left to ``question``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from digest.chat import chat_intents as intents
from digest.chat import schedule_parser
from digest.chat.chat_settings import AS_USUAL, Rule, RuleField, rule_of
from digest.core.enums import ChatSetting, Frequency, Language
from digest.core.grade import Level
from digest.core.patterns import lazy
from digest.errors import InvalidDate, UsageError
from digest.window import zone_of

_LONGEST = 300  # characters of a command; a path, a topic or a name is shorter

_FIELDS = {
    "path": RuleField.PATH, "paths": RuleField.PATH, "file": RuleField.PATH,
    "files": RuleField.PATH, "folder": RuleField.PATH,
    "路径": RuleField.PATH, "文件": RuleField.PATH, "目录": RuleField.PATH,
    "owner": RuleField.OWNER, "owners": RuleField.OWNER, "codeowner": RuleField.OWNER,
    "负责人": RuleField.OWNER, "所有者": RuleField.OWNER,
    "label": RuleField.LABEL, "labels": RuleField.LABEL, "tag": RuleField.LABEL,
    "标签": RuleField.LABEL,
    "author": RuleField.AUTHOR, "authors": RuleField.AUTHOR, "作者": RuleField.AUTHOR,
    "keyword": RuleField.KEYWORD, "keywords": RuleField.KEYWORD, "word": RuleField.KEYWORD,
    "text": RuleField.KEYWORD, "关键词": RuleField.KEYWORD, "关键字": RuleField.KEYWORD,
}  # fmt: skip
_SETTINGS = {
    "language": ChatSetting.LANGUAGE, "语言": ChatSetting.LANGUAGE,
    "zone": ChatSetting.ZONE, "timezone": ChatSetting.ZONE, "time zone": ChatSetting.ZONE,
    "时区": ChatSetting.ZONE,
    "time": ChatSetting.TIME, "时间": ChatSetting.TIME,
    "weekdays": ChatSetting.WEEKDAYS, "days": ChatSetting.WEEKDAYS, "工作日": ChatSetting.WEEKDAYS,
    "星期": ChatSetting.WEEKDAYS,
    "level": ChatSetting.LEVEL, "least": ChatSetting.LEVEL, "级别": ChatSetting.LEVEL,
    "重要度": ChatSetting.LEVEL,
    "branch": ChatSetting.BRANCH, "分支": ChatSetting.BRANCH,
    "bots": ChatSetting.BOTS, "机器人": ChatSetting.BOTS,
    "private": ChatSetting.PRIVATE, "私有": ChatSetting.PRIVATE, "私有仓库": ChatSetting.PRIVATE,
}  # fmt: skip
_LANGUAGES = {
    "en": Language.EN, "english": Language.EN, "英文": Language.EN, "英语": Language.EN,
    "zh": Language.ZH, "chinese": Language.ZH, "中文": Language.ZH, "汉语": Language.ZH,
}  # fmt: skip
_SWITCH = {
    "on": True, "yes": True, "true": True, "show": True, "allow": True,
    "开": True, "打开": True, "开启": True, "允许": True,
    "off": False, "no": False, "false": False, "hide": False, "forbid": False,
    "关": False, "关闭": False, "禁止": False,
}  # fmt: skip


def _any(words: dict[str, RuleField] | dict[str, ChatSetting]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_FIXED: dict[str, intents.Managing] = {
    r"(?:(?:list|show)(?: (?:me )?(?:my|our|all|the))? )?subscriptions": intents.Subscriptions(),
    r"(?:my|our) subscriptions|what (?:am i|are we) subscribed to": intents.Subscriptions(),
    r"(?:我的|我们的|查看|列出|显示)?(?:全部|所有)?订阅(?:列表|情况)": intents.Subscriptions(),
    r"(?:我的|查看|列出)订阅": intents.Subscriptions(),
    r"pause(?: (?:the )?(?:digests?|subscriptions?|posts?))?": intents.Pause(),
    r"暂停(?:推送|订阅|摘要)?": intents.Pause(),
    r"(?:resume|unpause)(?: (?:the )?(?:digests?|subscriptions?|posts?))?": intents.Resume(),
    r"(?:恢复|继续)(?:推送|订阅|摘要)?|取消暂停": intents.Resume(),
    r"(?:(?:show|list)(?: (?:me )?(?:my|our|the))? )?(?:settings|filters)": intents.ShowSettings(),
    r"(?:查看|显示)?(?:当前)?(?:设置|过滤器|过滤规则)": intents.ShowSettings(),
    r"(?:clear|remove|delete)(?: all)?(?: the)? filters": intents.Unfilter(),
    r"(?:清除|清空|删除)(?:全部|所有)?过滤(?:器|规则)?": intents.Unfilter(),
}
_PAUSE = lazy(
    r"(?:pause(?: (?:the )?(?:digests?|subscriptions?|posts?))?(?= )|暂停(?:推送|订阅|摘要)?)"
    r"(?P<end>.+)",
    re.IGNORECASE,
)
_END = lazy(
    r" (?:until|till) (?P<until>.+)| for (?P<length>.+)"
    r"| ?[到至] ?(?P<day>.+)| ?(?P<span>[\d一二两三四五六七八九十].*)",
    re.IGNORECASE,
)
"""The end of a pause or of a muted topic."""

_SUBSCRIBE = lazy(r"(?:please )?subscribe(?: to)?(?: (.*))?|订阅 ?(.*)", re.IGNORECASE)
_UNSUBSCRIBE = lazy(
    r"(?:please )?unsubscribe(?: from)?(?: (.+))?|(?:取消|退出)订阅 ?(.+)?|退订 ?(.+)?",
    re.IGNORECASE,
)
_MUTE = lazy(r"mute(?: topic)? (.+)|(?:静音|屏蔽)(?:主题|话题)?[ :：]?(.+)", re.IGNORECASE)
_UNMUTE = lazy(
    r"unmute(?: topic)? (.+)|(?:取消|解除)(?:静音|屏蔽)(?:主题|话题)?[ :：]?(.+)", re.IGNORECASE
)
_SET = lazy(
    rf"(?:settings?|set|设置|设定)[ :：]?(?:the )?({_any(_SETTINGS)})(?: to|为|成)?[ =:：]?(.+)",
    re.IGNORECASE,
)
_RULE = rf"({_any(_FIELDS)})[ :：]?(.+)"
_SECOND = lazy(rf"(?:,| and| or| but) (?:not )?(?:{_any(_FIELDS)})[ :]\S+$", re.IGNORECASE)
"""Another rule at the end of one."""

_FILTER = lazy(
    r"(save |保存 ?)?(?:filter )?"
    rf"(?:(include|only|包含|只看|仅看)|exclude|without|排除|过滤掉?) ?{_RULE}",
    re.IGNORECASE,
)
_UNFILTER = lazy(
    rf"(?:remove|delete|drop) (?:the )?(?:filter )?(?:include |exclude )?{_RULE}"
    rf"|删除(?:过滤)?(?:规则)?(?:包含|排除)? ?{_RULE}",
    re.IGNORECASE,
)
_VERBS = ("subscribe", "unsubscribe", "subscriptions", "settings", "unmute", "resume")


def read_managing(text: str) -> intents.Managing | None:
    """The command in a cleaned text, or ``None``. Raises ``UnknownZone`` and ``UsageError``."""
    if len(text) > _LONGEST:
        return None
    return _read(text) or _read(_correct_spelling(text))


def _correct_spelling(text: str) -> str:
    """The text with a misspelled first word corrected."""
    first, space, rest = text.partition(" ")
    if len(first) < 6 or not first.isascii() or first.lower() in _VERBS:
        return ""
    near = get_close_matches(first.lower(), _VERBS, n=1, cutoff=0.85)
    return f"{near[0]}{space}{rest}" if near else ""


def _read(text: str) -> intents.Managing | None:
    for fixed, intent in _FIXED.items():
        if re.fullmatch(fixed, text, re.IGNORECASE):
            return intent
    for pattern, reader in _READERS:
        if match := pattern.fullmatch(text):
            return reader(match)
    return None


def _first(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group), "").strip(" \"'")


def _subscribe(match: re.Match[str]) -> intents.Managing | None:
    read = schedule_parser.read_timing(_first(match))
    if read is None:
        return None
    return intents.Subscribe(
        repository=read.rest, kind=read.kind or Frequency.DAILY, timing=read.timing
    )


def _unsubscribe(match: re.Match[str]) -> intents.Managing | None:
    read = schedule_parser.read_timing(_first(match))
    if read is None or read.timing != AS_USUAL:
        return None
    return intents.Unsubscribe(repository=read.rest, kind=read.kind)


def _pause(match: re.Match[str]) -> intents.Managing | None:
    end = _END.fullmatch(match["end"])
    return intents.Pause(until=_until(end)) if end else None


def _until(end: re.Match[str]) -> schedule_parser.PauseEnd:
    """When something ends. Raises ``UsageError``."""
    day, length = end["until"] or end["day"], end["length"] or end["span"]
    until = schedule_parser.read_pause_end(day) if day else schedule_parser.read_length(length)
    if until is None:
        raise UsageError(
            f"{day or length!r} is not a valid end; write until friday, until 2026-12-24, "
            "until tomorrow, for 3 days or for 2 weeks"
        )
    return until


def _mute(match: re.Match[str]) -> intents.Managing:
    """A topic may have words in it that an end begins with: only a whole end is one."""
    said = _first(match)
    for at in range(1, len(said)):
        if end := _END.fullmatch(said, at):
            try:
                return intents.Mute(topic=said[:at].strip(" \"'"), until=_until(end))
            except InvalidDate:
                raise
            except UsageError:
                continue
    return intents.Mute(topic=said)


def _setting_command(match: re.Match[str]) -> intents.Managing:
    setting = _SETTINGS[match[1].lower()]
    written = match[2].strip(" \"'")
    lower = written.lower()
    value: intents.Value | None
    match setting:
        case ChatSetting.LANGUAGE:
            value = _LANGUAGES.get(lower)
        case ChatSetting.ZONE:
            value = zone_of(written)
        case ChatSetting.TIME:
            value = schedule_parser.read_time(lower)
        case ChatSetting.WEEKDAYS:
            value = schedule_parser.read_days(lower)
        case ChatSetting.LEVEL:
            value = schedule_parser.LEVELS.get(lower)
        case ChatSetting.BRANCH:
            value = "" if lower in {"default", "默认"} else branch_name(written)
        case ChatSetting.BOTS | ChatSetting.PRIVATE:
            value = _SWITCH.get(lower)
    if value is None:
        raise UsageError(f"{written!r} is not a valid {setting}; write {_EXAMPLES[setting]}")
    return intents.Set(setting=setting, value=value)


_EXAMPLES = {
    ChatSetting.LANGUAGE: "en or zh",
    ChatSetting.ZONE: "Europe/Berlin",
    ChatSetting.TIME: "09:00",
    ChatSetting.WEEKDAYS: "mon-fri or mon,wed",
    ChatSetting.LEVEL: ", ".join(Level),
    ChatSetting.BRANCH: "a branch's name, or default",
    ChatSetting.BOTS: "on or off",
    ChatSetting.PRIVATE: "on or off",
}


def branch_name(written: str) -> str | None:
    """A branch name that is safe for git: it cannot be an option or a range."""
    plain = re.fullmatch(r"[A-Za-z0-9][\w./+-]{0,200}", written, re.ASCII)
    return written if plain and ".." not in written else None


def read_rule(text: str) -> Rule:
    """A rule written like ``path src/**``. Raises ``ValueError`` with what can be written."""
    match = re.fullmatch(_RULE, text.strip(), re.IGNORECASE)
    try:
        rule = _rule(match[1], match[2]) if match else None
    except UsageError as error:
        raise ValueError(str(error)) from None
    if rule is None:
        raise ValueError(
            f"{text!r} is not a rule; write path, owner, label, author or keyword, and the text "
            "to match, such as 'path src/**'"
        )
    return rule


def _rule(field: str, pattern: str) -> Rule | None:
    if not pattern.lstrip().startswith("/") and (second := _SECOND.search(pattern)):
        raise UsageError(
            f"{second[0].strip(' ,')!r} is a second rule; write one rule at a time, or write text "
            "that contains these words between slashes"
        )
    return rule_of(_FIELDS[field.lower()], pattern)


def _filter(match: re.Match[str]) -> intents.Managing | None:
    rule = _rule(match[3], match[4])
    if rule is None:
        return None
    return intents.Filter(rule=rule, include=bool(match[2]), save=bool(match[1]))


def _unfilter(match: re.Match[str]) -> intents.Managing | None:
    field, pattern = (group for group in match.groups() if group)
    rule = _rule(field, pattern)
    return intents.Unfilter(rule=rule) if rule else None


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], intents.Managing | None]], ...] = (
    (_PAUSE, _pause),
    (_UNSUBSCRIBE, _unsubscribe),
    (_SUBSCRIBE, _subscribe),
    (_UNMUTE, lambda found: intents.Unmute(topic=_first(found))),
    (_MUTE, _mute),
    (_SET, _setting_command),
    (_UNFILTER, _unfilter),
    (_FILTER, _filter),
)
