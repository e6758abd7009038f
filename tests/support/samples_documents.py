"""Hand-made documents: a digest and an answer, in English and Chinese.

Every platform renders them, so that golden files can be compared.
"""

from __future__ import annotations

from digest.document import (
    Code,
    Divider,
    Document,
    Emphasis,
    Heading,
    Item,
    Link,
    Listing,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
)

WEB = "https://forge.example/acme/engine"


def digest_en() -> Document:
    return Document(
        title="acme/engine, 2026-01-23",
        blocks=(
            Heading(1, (Text("acme/engine: Friday, 2026-01-23"),)),
            Paragraph(
                (
                    Strong("2 of 31"),
                    Text(" changes matter most: the router drops idle experts, and "),
                    Code("--cache-dtype"),
                    Text(" has a new default."),
                )
            ),
            Listing(
                (
                    Item(
                        (
                            Link("#812", f"{WEB}/pull/812"),
                            Text(" "),
                            Strong("Drop idle experts from the routing table"),
                            Text(" — removes "),
                            Code("Router.pin()"),
                            Text("; callers of it break."),
                        )
                    ),
                    Item(
                        (
                            Link("#815", f"{WEB}/pull/815"),
                            Text(" "),
                            Strong("Quantise the cache by default \x1b[5m(beta)"),
                            Text(" — "),
                            Code("--cache-dtype"),
                            Text(": auto → fp8."),
                        ),
                        (Item((Emphasis("Risk:"), Text(" outputs differ in the last digits."))),),
                    ),
                ),
                ordered=True,
            ),
            Divider(),
            Paragraph(
                (
                    Text("2026-01-22 09:00 to 2026-01-23 09:00 (Europe/Berlin). "),
                    Link("Full report", "reports/2026-01-23.md"),
                    Text("."),
                )
            ),
        ),
    )


def digest_zh() -> Document:
    return Document(
        title="acme/engine，2026-01-23",
        language="zh",
        blocks=(
            Heading(1, (Text("acme/engine：2026-01-23（周五）"),)),
            Paragraph(
                (
                    Strong("31 项变更中的 2 项"),
                    Text("最值得关注：路由器会移除空闲专家，"),
                    Code("--cache-dtype"),
                    Text(" 有了新的默认值。"),
                )
            ),
            Listing(
                (
                    Item(
                        (
                            Link("#812", f"{WEB}/pull/812"),
                            Text(" "),
                            Strong("Drop idle experts from the routing table"),
                            Text("：移除公共接口 "),
                            Code("Router.pin()"),
                            Text("，调用它的代码需要修改，请在升级之前检查自己的插件与脚本。"),
                        )
                    ),
                    Item(
                        (
                            Link("#815", f"{WEB}/pull/815"),
                            Text(" "),
                            Strong("默认量化缓存"),
                            Text("：参数 "),
                            Code("--cache-dtype"),
                            Text(" 的默认值由 auto 改为 fp8。"),
                        )
                    ),
                ),
                ordered=True,
            ),
            Divider(),
            Paragraph((Text("2026-01-22 09:00 至 2026-01-23 09:00（Asia/Shanghai）。"),)),
        ),
    )


def answer_en() -> Document:
    return Document(
        title="What changed in routing",
        blocks=(
            Heading(2, (Text("Routing: 3 changes this week"),)),
            Table(
                ((Text("When"),), (Text("Change"),), (Text("Level"),)),
                (
                    (
                        (Text("01-23"),),
                        (Link("#812", f"{WEB}/pull/812"), Text(" Drop idle experts")),
                        (Strong("high"),),
                    ),
                    (
                        (Text("01-22"),),
                        (Text("Rename a test helper of the router"),),
                        (Text("low"),),
                    ),
                ),
            ),
            Quote(((Text("Idle experts took 3 GB on every worker, for nothing."),),)),
        ),
    )


def answer_zh() -> Document:
    return Document(
        title="路由有什么变化",
        language="zh",
        blocks=(
            Heading(2, (Text("路由：本周 3 项变更"),)),
            Table(
                ((Text("日期"),), (Text("变更"),), (Text("级别"),)),
                (
                    ((Text("01-23"),), (Text("移除空闲专家，节省显存"),), (Strong("高"),)),
                    ((Text("01-22"),), (Text("重命名测试辅助函数"),), (Text("低"),)),
                ),
            ),
            Quote(((Text("空闲专家在每个工作进程上白白占用 3 GB。"),),)),
        ),
    )
