"""The reasons of a grade in words. Imports ``grade`` and ``phrase``."""

from __future__ import annotations

import re

from digest.grade import Reason
from digest.language import Language
from digest.words.phrase import Phrase

REASONS = {
    "advisory": Phrase("security advisory: {subject}", "安全公告：{subject}"),
    "area_benchmarks": Phrase("touches benchmarks", "改动基准测试"),
    "area_build": Phrase("touches the build", "改动构建"),
    "area_ci": Phrase("touches CI", "改动持续集成"),
    "area_docs": Phrase("touches docs", "改动文档"),
    "area_examples": Phrase("touches examples", "改动示例"),
    "area_tests": Phrase("touches tests", "改动测试"),
    "breaking": Phrase("declared a breaking change", "声明为不兼容变更"),
    "co_authors": Phrase("several authors", "多位作者"),
    "config_added": Phrase("new config field {subject}", "新增配置项 {subject}"),
    "config_changed": Phrase("changed config field {subject}", "变更配置项 {subject}"),
    "config_removed": Phrase("removed config field {subject}", "移除配置项 {subject}"),
    "config_renamed": Phrase("renamed config field {subject}", "重命名配置项 {subject}"),
    "core": Phrase("changes code", "改动代码"),
    "core_added": Phrase("{subject:line|lines} added to the code", "代码新增 {subject} 行"),
    "core_deleted": Phrase("{subject:line|lines} removed from the code", "代码删除 {subject} 行"),
    "core_files": Phrase("{subject:code file|code files}", "涉及 {subject} 个代码文件"),
    "core_new_files": Phrase("{subject:new code file|new code files}", "新增 {subject} 个代码文件"),
    "dependency": Phrase("dependency {subject}", "依赖 {subject}"),
    "deprecation": Phrase("deprecation {subject}", "弃用 {subject}"),
    "docs_with_core": Phrase("code with docs", "代码与文档一同改动"),
    "environment_added": Phrase("new environment variable {subject}", "新增环境变量 {subject}"),
    "environment_changed": Phrase(
        "changed environment variable {subject}", "变更环境变量 {subject}"
    ),
    "environment_removed": Phrase(
        "removed environment variable {subject}", "移除环境变量 {subject}"
    ),
    "environment_renamed": Phrase(
        "renamed environment variable {subject}", "重命名环境变量 {subject}"
    ),
    "explained": Phrase("explained in the message", "提交信息附有说明"),
    "files": Phrase("{subject:file|files}", "涉及 {subject} 个文件"),
    "flag_added": Phrase("new command-line flag {subject}", "新增命令行参数 {subject}"),
    "flag_changed": Phrase("changed command-line flag {subject}", "变更命令行参数 {subject}"),
    "flag_removed": Phrase("removed command-line flag {subject}", "移除命令行参数 {subject}"),
    "flag_renamed": Phrase("renamed command-line flag {subject}", "重命名命令行参数 {subject}"),
    "metric_added": Phrase("new metric {subject}", "新增指标 {subject}"),
    "metric_changed": Phrase("changed metric {subject}", "变更指标 {subject}"),
    "metric_removed": Phrase("removed metric {subject}", "移除指标 {subject}"),
    "metric_renamed": Phrase("renamed metric {subject}", "重命名指标 {subject}"),
    "mostly_removed": Phrase("mostly removes lines ({subject})", "以删除为主（{subject} 行）"),
    "model_assumption": Phrase(
        "by the model: an assumption changes ({subject})", "模型判断：隐含假设改变（{subject}）"
    ),
    "model_contract": Phrase(
        "by the model: a contract is concerned ({subject})", "模型判断：涉及接口约定（{subject}）"
    ),
    "model_decision": Phrase(
        "by the model: a decision that lasts ({subject})", "模型判断：难以撤回的决定（{subject}）"
    ),
    "model_performance": Phrase(
        "by the model: performance is concerned ({subject})", "模型判断：涉及性能（{subject}）"
    ),
    "model_security": Phrase(
        "by the model: security is concerned ({subject})", "模型判断：涉及安全（{subject}）"
    ),
    "model_user_visible": Phrase(
        "by the model: whether users notice ({subject})", "模型判断：用户是否可见（{subject}）"
    ),
    "route_added": Phrase("new HTTP route {subject}", "新增 HTTP 路由 {subject}"),
    "route_changed": Phrase("changed HTTP route {subject}", "变更 HTTP 路由 {subject}"),
    "route_removed": Phrase("removed HTTP route {subject}", "移除 HTTP 路由 {subject}"),
    "route_renamed": Phrase("renamed HTTP route {subject}", "重命名 HTTP 路由 {subject}"),
    "schema": Phrase("schema {subject}", "模式定义 {subject}"),
    "security": Phrase("security-related: {subject}", "安全相关：{subject}"),
    "symbol_added": Phrase("new public symbol {subject}", "新增公开符号 {subject}"),
    "symbol_changed": Phrase("changed public symbol {subject}", "变更公开符号 {subject}"),
    "symbol_removed": Phrase("removed public symbol {subject}", "移除公开符号 {subject}"),
    "symbol_renamed": Phrase("renamed public symbol {subject}", "重命名公开符号 {subject}"),
    "tests_with_core": Phrase("code with tests", "代码与测试一同改动"),
    "title_benchmark": Phrase("about benchmarks (“{subject}”)", "关于基准测试（“{subject}”）"),
    "title_breaking": Phrase("title says “{subject}”", "标题提到“{subject}”"),
    "title_chore": Phrase("called “{subject}”", "标题标为“{subject}”"),
    "title_ci": Phrase("about CI (“{subject}”)", "关于持续集成（“{subject}”）"),
    "title_default": Phrase("about a default", "关于默认值"),
    "title_docs": Phrase("about docs (“{subject}”)", "关于文档（“{subject}”）"),
    "title_failure": Phrase("about a failure (“{subject}”)", "关于故障（“{subject}”）"),
    "title_feature": Phrase("announces something new (“{subject}”)", "新功能（“{subject}”）"),
    "title_fix": Phrase("a fix (“{subject}”)", "修复（“{subject}”）"),
    "title_interface": Phrase("about an interface (“{subject}”)", "关于接口（“{subject}”）"),
    "title_length": Phrase("length of the title", "标题长度"),
    "title_logging": Phrase("about messages (“{subject}”)", "关于日志或提示（“{subject}”）"),
    "title_performance": Phrase("about performance (“{subject}”)", "关于性能（“{subject}”）"),
    "title_refactor": Phrase("a refactoring (“{subject}”)", "重构（“{subject}”）"),
    "title_removal": Phrase("announces a removal (“{subject}”)", "移除（“{subject}”）"),
    "title_revert": Phrase("a revert", "回退"),
    "title_tests": Phrase("about tests (“{subject}”)", "关于测试（“{subject}”）"),
    "title_upgrade": Phrase("an upgrade (“{subject}”)", "升级（“{subject}”）"),
    "toolchain": Phrase("toolchain {subject}", "工具链 {subject}"),
}
"""By rule name. ``{subject}`` is what the rule saw; a phrase without the slot does not show it."""

_OTHER = Phrase("{rule}", "{rule}")
_OTHER_WITH_SUBJECT = Phrase("{rule}: {subject}", "{rule}：{subject}")
_AND_OTHERS = Phrase("{name} and {n:other|others}", "{name} 及另外 {n} 项")
_OTHERS = re.compile(r"(.+) \+([0-9]{1,9})", re.DOTALL)
_COUNT = re.compile(r"[0-9]{1,9}")
_EMPTY = re.compile(r"\s*(?:[(（][“”]*[)）]|“”|[:：])\s*$")


FAINT = frozenset(
    {
        "co_authors",
        "core",
        "core_files",
        "docs_with_core",
        "explained",
        "files",
        "tests_with_core",
        "title_length",
    }
)
"""Rules that tell a reader little of why a change matters, however well they rank."""


def _with_others(subject: str, language: Language) -> str:
    """``name +6`` as a name and how many others there are."""
    found = _OTHERS.fullmatch(subject)
    if found is None:
        return subject
    return _AND_OTHERS.text(language, name=found[1], n=int(found[2]))


def reason_words(reason: Reason, language: Language) -> str:
    """A reason as a short phrase without a full stop.

    A rule that has no words here is told by its name, so that a new rule in the weights never
    silences a reason.
    """
    subject = " ".join(reason.subject.split())
    phrase = REASONS.get(reason.rule)
    if phrase is not None:
        seen = int(subject) if _COUNT.fullmatch(subject) else _with_others(subject, language)
        return _EMPTY.sub("", phrase.text(language, subject=seen)).strip()
    rule = re.sub(r"[_.\-]+", " ", reason.rule).strip()
    other = _OTHER_WITH_SUBJECT if subject else _OTHER
    return other.text(language, rule=rule, subject=subject)
