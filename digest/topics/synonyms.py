"""Synonyms in software, in English and Chinese, so that 量化 finds quantization.

The table is general: names that one project alone uses belong in that project's aliases.
"""

from __future__ import annotations

from digest.topics.terms import HAN, term


def _rows(table: str) -> tuple[tuple[str, ...], ...]:
    """The names in each row of a table; an indented line continues the row above it."""
    rows = table.strip().replace("\n    ", " ").splitlines()
    return tuple(tuple(name.strip() for name in row.split(",")) for row in rows)


FAMILIES = _rows("""
accuracy, precision, numerics, 精度, 准确率
alert, alerting, notifier, notification, 告警, 通知
AMD, 超威
Apple, 苹果
AWS, Amazon, 亚马逊
Azure, Microsoft, 微软
allocation, alloc, allocate, 内存分配
API, interface, 接口
Ascend, 昇腾
architecture, 架构
attention, attn, 注意力
audio, 音频, 语音
authentication, auth, 认证, 鉴权, 登录
backend, 后端
backup, snapshot, 备份, 快照
batch, batching, 批处理, 批量
benchmark, bench, 基准, 基准测试, 压测
bot, 机器人
breaking, breaking change, incompatible, 不兼容, 破坏性
bug, bugfix, fix, fixed, hotfix, 修复, 缺陷, 错误修复
build, packaging, 构建, 编译打包, 打包
cache, caching, 缓存
certificate, cert, TLS, SSL, 证书
CI, continuous integration, 持续集成, 流水线
CLI, command line, 命令行
cluster, 集群
communication, comm, collective, 通信
compaction, compact, compactor, 压实, 压缩合并
compatibility, compat, 兼容性, 兼容
compile, compilation, compiler, 编译, 编译器
concurrency, concurrent, 并发
configuration, config, conf, setting, 配置, 设置
container, docker, dockerfile, 容器, 镜像
database, 数据库
corruption, corrupt, corrupted, 损坏, 破损
data loss, series loss, sample loss, 丢数据, 数据丢失, 丢失数据, 丢样本
data race, race condition, race, 数据竞争, 竞态
denial of service, DoS, 拒绝服务
deadlock, 死锁
debug, debugging, 调试
decode, decoding, decoder, 解码
dependency, deps, requirement, 依赖
dense, 稠密
deploy, deployment, 部署
deprecate, deprecation, deprecated, 弃用, 废弃
device, 设备
disable, disabled, turn off, turned off, switched off, 关闭, 禁用
distributed, 分布式
documentation, docs, doc, 文档
draft, drafter, 草稿
embedding, 嵌入, 向量
enable, enabled, turn on, turned on, switched on, 启用, 开启
encode, encoder, encoding, 编码
engine, 引擎
environment variable, env var, 环境变量
error handling, exception, 异常, 错误处理
example, samples, 示例, 例子
expert, 专家
feature, feat, 新功能, 功能, 特性
flag, command line flag, option, 参数, 选项, 命令行参数
formatter, formatting, 格式化
frontend, front end, 前端
gateway, 网关
garbage collection, GC, 垃圾回收
grammar, 文法
graph, 图
Google, 谷歌
hardware, 硬件
health check, healthcheck, liveness, readiness, 健康检查
histogram, 直方图
image, 图像, 图片
index, indexing, 索引
Huawei, 华为
inference, 推理
installation, install, installer, 安装
integration, 集成
Intel, 英特尔
kernel, 内核, 核函数, 算子
kv cache, 键值缓存, KV缓存
prefix caching, prefix cache, 前缀缓存
remote read, 远程读, 远程读取
remote write, 远程写, 远程写入
label, 标签
language server, LSP, 语言服务器
latency, 延迟, 时延
lint, linter, linting
load balancing, load balancer, 负载均衡
log, logging, logger, 日志
memory, 内存, 显存
memory leak, memleak, leak, 内存泄漏, 内存泄露, 泄漏
metric, 指标
migration, migrate, 迁移
mixture of experts, MoE, 混合专家, 混合专家模型
model, 模型
monitoring, observability, 监控, 可观测性
multimodal, multi modal, mm, 多模态
network, networking, 网络
NVIDIA, 英伟达
offload, offloading, 卸载
optimization, optimize, optimized, optimisation, 优化
panic, crash, segfault, segmentation fault, SIGSEGV, 崩溃, 段错误
overflow, 溢出
parallel, parallelism, 并行
parser, parsing, parse, 解析, 解析器
performance, perf, speed, 性能, 速度
permission, authorization, 权限
plugin, plug in, 插件
prefill, 预填充
privacy, 隐私
proxy, 代理
quantization, quantisation, quant, quantize, quantized, 量化
queue, 队列
rate limit, rate limiting, throttle, throttling, 限流
reasoning, 推理, 思考
refactor, refactored, refactoring, 重构
regression, 回归, 回退
release, 发布, 版本发布
removal, remove, removed, delete, deleted, 移除, 删除
replication, replica, 复制, 副本
request, 请求
retention, retain, 保留
retry, retries, backoff, 重试
revert, reverted, rollback, 回滚, 撤销
route, router, routing, 路由
rule, 规则
sampling, sampler, 采样, 采样器
scheduler, scheduling, schedule, sched, 调度, 调度器
schema, 模式定义
scrape, scraping, scraper, 采集, 抓取
script, 脚本
security, vulnerability, cve, 安全, 漏洞
service discovery, discovery, SD, 服务发现
server, serving, serve, 服务器, 服务端, 服务
session, 会话
speculative, speculative decoding, spec decode, spec decoding, spec token, 投机解码, 推测解码,
    投机采样
storage, 存储
streaming, stream, 流式
structured output, 结构化输出
syntax, 语法
data parallel, data parallelism, 数据并行
expert parallel, expert parallelism, 专家并行
pipeline parallel, pipeline parallelism, 流水线并行
tensor parallel, tensor parallelism, 张量并行
test, testing, unit test, 测试, 单元测试
thread, threading, 线程
timeout, time out, deadline, 超时
throughput, 吞吐, 吞吐量
tokenizer, tokenization, 分词, 分词器
tool calling, tool call, function calling, 工具调用, 函数调用
tracing, trace, telemetry, 链路追踪, 追踪
training, trainer, 训练
translation, i18n, localization, 翻译, 国际化, 本地化
type, typing, mypy, 类型, 类型检查
user interface, UI, 界面
video, 视频
vision, visual, 视觉
web, 网页
websocket, WS
weight, 权重
""")
"""One thing per row, with all its names. The order of rows and of names has no meaning."""

NARROWER = _rows("""
hardware, AMD, Apple silicon, Arm, Blackwell, CPU, CUDA, Gaudi, GPU, Hopper, HPU, Intel, Metal,
    NPU, NVIDIA, ROCm, TPU, XPU
硬件, CPU, CUDA, GPU, NPU, ROCm, TPU, XPU
distributed, all2all, collective, context parallel, data parallel, EPLB, expert parallel, NCCL,
    pipeline parallel, tensor parallel
large scale serving, all2all, data parallel, DP, disaggregated, disaggregation, EP, EPLB, expert
    parallel, KV connector, KV transfer, NIXL, offloading connector, pipeline parallel, prefill
    decode
engine core, async scheduling, block manager, KV cache manager, model runner, prefix cache,
    prefix caching, scheduler, streaming input
multimodal, audio, image, VIT, vision, vision language, VL, VLM, video
多模态, audio, image, VIT, vision, VL, VLM, video
OpenAI API, chat completion, completions API, OpenAI, OpenResponses, responses API
speculative decoding, draft model, drafter, Eagle, Medusa, MTP
torch compile, compile, Dynamo, Inductor
AMD, AITER, HIP, ROCm
ROCm, AITER, AMD, HIP
AMD ROCm, AITER, AMD, HIP, ROCm
NVIDIA, Blackwell, CUDA, Hopper
Intel, XPU
Intel XPU, XPU
Intel GPU, XPU
Arm CPU, aarch64, Arm
""")
"""Names of a whole, each followed by names of its parts. Asking for the whole includes the parts,
but not the other way round."""

SHORTENED = {term("kv cache"): term("KV")}
"""Names that are shortened next to another: "KV offload" means offloading the KV cache."""


def _kin() -> tuple[dict[str, frozenset[str]], dict[str, tuple[str, ...]]]:
    kin: dict[str, frozenset[str]] = {}
    names: dict[str, tuple[str, ...]] = {}
    for family in FAMILIES:
        terms = frozenset(term(name) for name in family)
        for name in terms:
            kin[name] = kin.get(name, frozenset()) | terms
            names[name] = (*names.get(name, ()), *family)
    return kin, names


_KIN, _NAMES = _kin()
CHINESE = tuple(sorted((t for t in _KIN if HAN.fullmatch(t)), key=len, reverse=True))
"""The Chinese names, longest first, so that 单元测试 is found before 测试."""


def english_of(name: str) -> str:
    """The English name of a Chinese one; empty if it is in no family."""
    return next((family[0] for family in FAMILIES if name in family), "")


def synonyms(name: str) -> tuple[str, ...]:
    """All names of the things that a name may mean; none if it is in no family."""
    return _NAMES.get(term(name), ())


def kin(name: str) -> frozenset[str]:
    """The synonyms of a term, including itself."""
    return _KIN.get(name, frozenset()) | {name}


_PARTS = {term(whole): frozenset(map(term, parts)) for whole, *parts in NARROWER}


def terms_meant(name: str) -> frozenset[str]:
    """The terms meant by a term: its synonyms, and the parts of a whole."""
    same = kin(name)
    parts = frozenset().union(*(_PARTS.get(one, frozenset()) for one in same))
    return same.union(*(kin(part) for part in parts))


def is_whole(name: str) -> bool:
    """Whether a term is the name of a whole."""
    return name in _PARTS
