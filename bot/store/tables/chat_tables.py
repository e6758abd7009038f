"""Tables of chats and people, of forges' data, and of model analyses and calls."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from bot.store.tables.archive_tables import (
    belongs_to,
    large_numbers,
    metadata,
    moments,
    numbers,
    row_id,
    texts,
)

# The settings of a chat, as JSON; see bot.store.chat_records.
chats = Table(
    "chats",
    metadata,
    *texts("platform", "account", "chat", "settings"),
    PrimaryKeyConstraint("platform", "account", "chat"),
)

# Digests that a chat subscribed to; ``schedule`` is JSON, ``known`` the name under which the ledger
# stores the chat's digests.
chat_subscriptions = Table(
    "chat_subscriptions",
    metadata,
    *texts("platform", "account", "chat"),
    # A name in the configuration, which may be removed and added again.
    *texts("repository"),
    *texts("kind", "schedule", "known"),
    PrimaryKeyConstraint("platform", "account", "chat", "repository", "kind"),
)

# The state of each conversation, as JSON, and when it was last continued.
conversations = Table(
    "conversations",
    metadata,
    *texts("platform", "chat", "thread", "person"),
    *moments("at"),
    *texts("state"),
    PrimaryKeyConstraint("platform", "chat", "thread", "person"),
    Index(None, "at"),
)

# The commit up to which a person has looked at a repository in a chat.
looks = Table(
    "looks",
    metadata,
    *texts("platform", "chat", "person"),
    # A name, not a row: looks stay when the repository is read again.
    *texts("repository"),
    *moments("at"),
    *texts("tip"),
    PrimaryKeyConstraint("platform", "chat", "person", "repository"),
)

# What an owner depends on: ``owner`` is a chat or a person, ``entries`` are JSON texts, ``tip`` is
# the commit up to which alerts were checked, empty if nobody asked for alerts; ``person`` is who
# did, as ``platform:id``.
profiles = Table(
    "profiles",
    metadata,
    *texts("owner", "repository", "entries"),
    *numbers("alerts"),
    *texts("tip"),
    Column("person", Text, nullable=False, server_default=text("''")),
    PrimaryKeyConstraint("owner", "repository"),
)

# Messages to the bot, each once, for as long as a platform may redeliver them; see
# bot.store.replies.
heard = Table(
    "heard",
    metadata,
    *texts("account", "chat", "message"),
    *moments("at"),
    *texts("state"),
    # The receipt of the message that is, or becomes, the reply.
    *texts("receipt"),
    # The message itself, to be answered after a crash.
    *texts("asked"),
    PrimaryKeyConstraint("account", "chat", "message"),
    Index(None, "at"),
)

# Platform events, stored before they are acknowledged and until they are handled; see
# bot.store.replies. Keys ascend in order of arrival, ``kind`` is the platform's own word.
inbox = Table(
    "inbox",
    metadata,
    *texts("key", "account", "kind", "content", "trace"),
    *moments("at"),
    *numbers("tries"),
    PrimaryKeyConstraint("key"),
)

# A person's latest verdict on a change (its sha) or a digest (its name), with the grade then.
feedback = Table(
    "feedback",
    metadata,
    # A name, not a row: verdicts stay when the repository is read again.
    *texts("repository"),
    *texts("subject", "platform", "chat", "person", "verdict", "level"),
    Column("score", Float),
    *texts("reasons"),
    *moments("at"),
    PrimaryKeyConstraint("repository", "subject", "platform", "chat", "person"),
    Index(None, "at"),
)

# Responses of forges with their etags, for revalidation; see bot.store.forge_records.
forge_pages = Table(
    "forge_pages",
    metadata,
    # The account that asked: what one account may see, another may not.
    *texts("account"),
    *texts("address"),
    *moments("at"),
    *texts("etag", "link", "body"),
    PrimaryKeyConstraint("account", "address"),
    Index(None, "at"),
)

# Pull and merge requests as their forge describes them; see bot.store.forge_records.
requests = Table(
    "requests",
    metadata,
    belongs_to("repositories"),
    *large_numbers("number"),
    *texts("state", "merge_commit"),
    *moments("updated_at", "seen_at"),
    *texts("content"),
    # Its analysed diff as JSON if it is not a change of the branch; otherwise empty.
    *texts("graded"),
    PrimaryKeyConstraint("repository_id", "number"),
    Index(None, "repository_id", "merge_commit"),
)

# The moment up to which the list of a repository's requests was read.
forge_marks = Table(
    "forge_marks", metadata, belongs_to("repositories", primary=True), *moments("read_until")
)

# A model's verified analysis of a change; see bot.store.analyses. It is found by the change's sha,
# or, for the same change under another sha after a rebase, by its diff.
analyses = Table(
    "analyses",
    metadata,
    row_id(),
    belongs_to("repositories"),
    *texts("sha", "diff"),
    *numbers("facts_version"),
    *texts("prompt", "model", "language"),
    *moments("made_at"),
    # Why there is no analysis, if asking again would only cost again.
    *texts("failure"),
    *texts("content"),
    UniqueConstraint(
        *("repository_id", "sha", "facts_version", "prompt", "model", "language"),
        name="uq_analyses_basis",  # the conventional name is too long for PostgreSQL
    ),
    Index(None, "repository_id", "diff"),
)

# Lead and themes of a day, by a hash of what the model was shown.
leads = Table(
    "leads",
    metadata,
    belongs_to("repositories"),
    *texts("shown", "prompt", "model", "language"),
    *moments("made_at"),
    *texts("failure", "content"),
    PrimaryKeyConstraint("repository_id", "shown", "prompt", "model", "language"),
)

model_calls = Table(
    "model_calls",
    metadata,
    row_id(),
    *moments("at"),
    *texts("kind"),
    # A name, not a row: costs stay recorded whatever happens to the repository.
    *texts("repository"),
    *texts("channel", "person", "subject", "model", "rung", "outcome"),
    Column("seconds", Float, nullable=False),
    *numbers("calls"),
    *large_numbers("input_tokens", "cached_tokens", "output_tokens"),
    # In billionths of the currency.
    *large_numbers("cost"),
    *texts("currency"),
    Column("estimated", Boolean, nullable=False),
    Index(None, "at"),
)
