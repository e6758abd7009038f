"""What chats and people set, asked, saw and thought."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, PrimaryKeyConstraint, Table, Text, text

from bot.store.tables.columns import metadata, moments, numbers, texts

# What a chat set for itself, as JSON; see bot.store.chats.
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
# bot.store.inbox. Keys are in the order of arrival, ``kind`` is the platform's own word.
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
