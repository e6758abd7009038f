"""Tables of chats and people, of forges' data, and of model analyses and calls."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.tables import archive_tables as tables

# The settings of a chat, as JSON; see bot.store.chat_records.
chats = tables.table(
    "chats",
    *tables.texts("platform", "account", "chat", "settings"),
    sa.PrimaryKeyConstraint("platform", "account", "chat"),
)

# Digests that a chat subscribed to; ``schedule`` is JSON, ``known`` the name under which the ledger
# stores the chat's digests.
chat_subscriptions = tables.table(
    "chat_subscriptions",
    *tables.texts("platform", "account", "chat"),
    # A name in the configuration, which may be removed and added again.
    *tables.texts("repository", "kind", "schedule", "known"),
    sa.PrimaryKeyConstraint("platform", "account", "chat", "repository", "kind"),
)

# The state of each conversation, as JSON, and when it was last continued.
conversations = tables.table(
    "conversations",
    *tables.texts("platform", "chat", "thread", "person"),
    *tables.moments("at"),
    *tables.texts("state"),
    sa.PrimaryKeyConstraint("platform", "chat", "thread", "person"),
    sa.Index(None, "at"),
)

# The commit up to which a person has looked at a repository in a chat.
looks = tables.table(
    "looks",
    *tables.texts("platform", "chat", "person"),
    # A name, not a row: looks stay when the repository is read again.
    *tables.texts("repository"),
    *tables.moments("at"),
    *tables.texts("tip"),
    sa.PrimaryKeyConstraint("platform", "chat", "person", "repository"),
)

# What an owner depends on: ``owner`` is a chat or a person, ``entries`` are JSON texts, ``tip`` is
# the commit up to which alerts were checked, empty if nobody asked for alerts; ``person`` is who
# did, as ``platform:id``.
profiles = tables.table(
    "profiles",
    *tables.texts("owner", "repository", "entries"),
    *tables.numbers("alerts"),
    *tables.texts("tip"),
    sa.Column("person", sa.Text, nullable=False, server_default=sa.text("''")),
    sa.PrimaryKeyConstraint("owner", "repository"),
)

# Messages to the bot, each once, for as long as a platform may redeliver them; see
# bot.store.replies.
heard = tables.table(
    "heard",
    *tables.texts("account", "chat", "message"),
    *tables.moments("at"),
    *tables.texts("state"),
    # The receipt of the message that is, or becomes, the reply.
    *tables.texts("receipt"),
    # The message itself, to be answered after a crash.
    *tables.texts("asked"),
    sa.PrimaryKeyConstraint("account", "chat", "message"),
    sa.Index(None, "at"),
)

# Platform events, stored before they are acknowledged and until they are handled; see
# bot.store.replies. Keys ascend in order of arrival, ``kind`` is the platform's own word.
inbox = tables.table(
    "inbox",
    *tables.texts("key", "account", "kind", "content", "trace"),
    *tables.moments("at"),
    *tables.numbers("tries"),
    sa.PrimaryKeyConstraint("key"),
)

# A person's latest verdict on a change (its sha) or a digest (its name), with the grade then.
feedback = tables.table(
    "feedback",
    # A name, not a row: verdicts stay when the repository is read again.
    *tables.texts("repository", "subject", "platform", "chat", "person", "verdict", "level"),
    sa.Column("score", sa.Float),
    *tables.texts("reasons"),
    *tables.moments("at"),
    sa.PrimaryKeyConstraint("repository", "subject", "platform", "chat", "person"),
    sa.Index(None, "at"),
)

# Responses of forges with their etags, for revalidation; see bot.store.forge_records.
forge_pages = tables.table(
    "forge_pages",
    # The account that asked: what one account may see, another may not.
    *tables.texts("account", "address"),
    *tables.moments("at"),
    *tables.texts("etag", "link", "body"),
    sa.PrimaryKeyConstraint("account", "address"),
    sa.Index(None, "at"),
)

# Pull and merge requests as their forge describes them; see bot.store.forge_records.
requests = tables.table(
    "requests",
    tables.belongs_to("repositories"),
    *tables.large_numbers("number"),
    *tables.texts("state", "merge_commit"),
    *tables.moments("updated_at", "seen_at"),
    *tables.texts("content"),
    # Its analysed diff as JSON if it is not a change of the branch; otherwise empty.
    *tables.texts("graded"),
    sa.PrimaryKeyConstraint("repository_id", "number"),
    sa.Index(None, "repository_id", "merge_commit"),
)

# The moment up to which the list of a repository's requests was read.
forge_marks = tables.table(
    "forge_marks", tables.belongs_to("repositories", primary=True), *tables.moments("read_until")
)

# A model's verified analysis of a change; see bot.store.analyses. It is found by the change's sha,
# or, for the same change under another sha after a rebase, by its diff.
analyses = tables.table(
    "analyses",
    tables.row_id(),
    tables.belongs_to("repositories"),
    *tables.texts("sha", "diff"),
    *tables.numbers("facts_version"),
    *tables.texts("prompt", "model", "language"),
    *tables.moments("made_at"),
    # Why there is no analysis, if asking again would only cost again.
    *tables.texts("failure", "content"),
    sa.UniqueConstraint(
        *("repository_id", "sha", "facts_version", "prompt", "model", "language"),
        name="uq_analyses_basis",  # the conventional name is too long for PostgreSQL
    ),
    sa.Index(None, "repository_id", "diff"),
)

# Lead and themes of a day, by a hash of what the model was shown.
leads = tables.table(
    "leads",
    tables.belongs_to("repositories"),
    *tables.texts("shown", "prompt", "model", "language"),
    *tables.moments("made_at"),
    *tables.texts("failure", "content"),
    sa.PrimaryKeyConstraint("repository_id", "shown", "prompt", "model", "language"),
)

model_calls = tables.table(
    "model_calls",
    tables.row_id(),
    *tables.moments("at"),
    *tables.texts("kind"),
    # A name, not a row: costs stay recorded whatever happens to the repository.
    *tables.texts("repository", "channel", "person", "subject", "model", "rung", "outcome"),
    sa.Column("seconds", sa.Float, nullable=False),
    *tables.numbers("calls"),
    *tables.large_numbers("input_tokens", "cached_tokens", "output_tokens"),
    # In billionths of the currency.
    *tables.large_numbers("cost"),
    *tables.texts("currency"),
    sa.Column("estimated", sa.Boolean, nullable=False),
    sa.Index(None, "at"),
)
