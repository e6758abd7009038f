"""What chats and people set, asked, saw and thought.

What forges told.

What models said, and what asking them took.
"""

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

# What a chat set for itself, as JSON; see bot.store.chat_records.
chats = Table(
    "chats",
    metadata,
    *texts("platform", "account", "chat", "settings"),
    PrimaryKeyConstraint("platform", "account", "chat"),
)

# Which digests a chat asked for by itself; ``schedule`` is JSON, ``known`` the name that the ledger
# knows the chat's digests by.
chat_subscriptions = Table(
    "chat_subscriptions",
    metadata,
    *texts("platform", "account", "chat"),
    # A name of the configuration, which may go and come back.
    *texts("repository"),
    *texts("kind", "schedule", "known"),
    PrimaryKeyConstraint("platform", "account", "chat", "repository", "kind"),
)

# How far each conversation is, as JSON, and when it was last gone on with.
conversations = Table(
    "conversations",
    metadata,
    *texts("platform", "chat", "thread", "person"),
    *moments("at"),
    *texts("state"),
    PrimaryKeyConstraint("platform", "chat", "thread", "person"),
    Index(None, "at"),
)

# Up to which commit a person has looked at a repository in a chat.
looks = Table(
    "looks",
    metadata,
    *texts("platform", "chat", "person"),
    # A name, not a row: what was seen stays seen when the repository is read anew.
    *texts("repository"),
    *moments("at"),
    *texts("tip"),
    PrimaryKeyConstraint("platform", "chat", "person", "repository"),
)

# What somebody depends on: ``owner`` is a chat or a person, ``entries`` are written as JSON texts,
# ``tip`` is the commit up to which alerts were looked for, empty where nobody asked for any;
# ``person`` is who did, as ``platform:id``.
profiles = Table(
    "profiles",
    metadata,
    *texts("owner", "repository", "entries"),
    *numbers("alerts"),
    *texts("tip"),
    Column("person", Text, nullable=False, server_default=text("''")),
    PrimaryKeyConstraint("owner", "repository"),
)

# Messages to the bot, each once, as long as a platform may deliver it again; see bot.store.replies.
heard = Table(
    "heard",
    metadata,
    *texts("account", "chat", "message"),
    *moments("at"),
    *texts("state"),
    # The proof of the message that is, or becomes, the answer.
    *texts("receipt"),
    # The message itself, to be answered after a crash.
    *texts("asked"),
    PrimaryKeyConstraint("account", "chat", "message"),
    Index(None, "at"),
)

# What platforms delivered, from before it is acknowledged until it is dealt with; see
# bot.store.stored_inbox. Keys are in the order of arrival, ``kind`` is the platform's own word.
inbox = Table(
    "inbox",
    metadata,
    *texts("key", "account", "kind", "content", "trace"),
    *moments("at"),
    *numbers("tries"),
    PrimaryKeyConstraint("key"),
)

# What a person thinks of a change (its sha) or of a digest (its name), the last word of each; the
# grade is that of the moment.
feedback = Table(
    "feedback",
    metadata,
    # A name, not a row: what people said stays said when the repository is read anew.
    *texts("repository"),
    *texts("subject", "platform", "chat", "person", "verdict", "level"),
    Column("score", Float),
    *texts("reasons"),
    *moments("at"),
    PrimaryKeyConstraint("repository", "subject", "platform", "chat", "person"),
    Index(None, "at"),
)

# Answers of forges with their etags, so that they can be revalidated; see bot.store.forge_pages.
forge_pages = Table(
    "forge_pages",
    metadata,
    # Under whose name it was asked: what one account may see, another may not.
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
    # Its diff analysed, as JSON, for one that is no change of the branch; else empty.
    *texts("graded"),
    PrimaryKeyConstraint("repository_id", "number"),
    Index(None, "repository_id", "merge_commit"),
)

# Up to which moment the list of a repository's requests was read.
forge_marks = Table(
    "forge_marks",
    metadata,
    belongs_to("repositories", primary=True),
    *moments("read_until"),
)

# What a model said of a change, checked; see bot.store.analyses. The row of a change is found by
# its sha, that of the same change under another name, after a rebase, by its diff.
analyses = Table(
    "analyses",
    metadata,
    row_id(),
    belongs_to("repositories"),
    *texts("sha", "diff"),
    *numbers("facts_version"),
    *texts("prompt", "model", "language"),
    *moments("made_at"),
    # Why there is no analysis, where asking again would be paid again for nothing.
    *texts("failure"),
    *texts("content"),
    UniqueConstraint(
        *("repository_id", "sha", "facts_version", "prompt", "model", "language"),
        name="uq_analyses_basis",  # the name by the convention is longer than PostgreSQL takes
    ),
    Index(None, "repository_id", "diff"),
)

# The lead and the themes of what was shown to a model, by a hash of that.
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
    # A name, not a row: what was paid stays on the books whatever becomes of the repository.
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
