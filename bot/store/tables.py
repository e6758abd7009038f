"""The tables, as the newest migration leaves them.

Moments are whole seconds since 1970 in UTC, as git keeps them. Levels are ranks: 0 is high.
What a query compares is in narrow tables (``changes`` and the three indexes); what is only read
back is in ``contents``, so that a search does not page through messages and facts.

The full-text index over ``change_texts`` is no table of SQLAlchemy's; :mod:`bot.store.search`
says what it is.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Every constraint has a name, since a migration can only change what it can name."""


def _in(table: str, *, primary: bool = False) -> Column[int]:
    """A column that refers to a row of ``table`` and goes with it."""
    return Column(
        "repository_id" if table == "repositories" else f"{table.removesuffix('s')}_id",
        ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=False,
        primary_key=primary,
    )


repositories = Table(
    "repositories",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("web", Text, nullable=False),
    Column("forge", Text, nullable=False),
    # What the indexes of this repository were made by; see bot.store.index.
    Column("indexed_by", Text, nullable=False),
)

changes = Table(
    "changes",
    metadata,
    Column("id", Integer, primary_key=True),
    _in("repositories"),
    Column("sha", Text, nullable=False),
    Column("committed_at", BigInteger, nullable=False),
    Column("number", BigInteger),
    Column("level", SmallInteger, nullable=False),
    Column("score", Float, nullable=False),
    # Which weights and thresholds the grade was made by.
    Column("graded_by", Text, nullable=False),
    Column("facts_version", Integer, nullable=False),
    # How many files of the change could not be read when its facts were made.
    Column("omitted", Integer, nullable=False),
    # The author's name without case, to be searched.
    Column("author_key", Text, nullable=False),
    # What most changed lines are in: made with the indexes, and nothing until they are.
    Column("area", Text),
    UniqueConstraint("repository_id", "sha"),
    # The changes from the newest on, with all that a walk along them tests.
    Index("ix_changes_walk", "repository_id", "committed_at", "sha", "level", "author_key"),
    Index(None, "repository_id", "number"),
)

contents = Table(
    "contents",
    metadata,
    _in("changes", primary=True),
    Column("authored_at", BigInteger, nullable=False),
    Column("author", Text, nullable=False),
    Column("email", Text, nullable=False),
    Column("parents", Text, nullable=False),
    # Before the long ones, so that they are read without those pages.
    Column("reasons", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("facts", Text, nullable=False),
)

change_texts = Table(
    "change_texts",
    metadata,
    _in("changes", primary=True),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("paths", Text, nullable=False),
    Column("names", Text, nullable=False),
)

# What is told of a change in a line, as spans in JSON; nothing of a low one. Not in ``contents``,
# where it would be read behind the facts.
change_lines = Table(
    "change_lines",
    metadata,
    _in("changes", primary=True),
    Column("language", Text, primary_key=True),
    Column("spans", Text, nullable=False),
    sqlite_with_rowid=False,
)

# Both indexes repeat the moment, and the first the repository, so that a week of one topic is one
# range. Its change is no foreign key: that would need a further index, only to be cleared by.
change_topics = Table(
    "change_topics",
    metadata,
    _in("repositories"),
    Column("topic", Text, nullable=False),
    Column("committed_at", BigInteger, nullable=False),
    Column("change_id", Integer, nullable=False),
    PrimaryKeyConstraint("repository_id", "topic", "committed_at", "change_id"),
    sqlite_with_rowid=False,
)

# Every topic that a change ever bore, once: those that none bears any more do no harm.
known_topics = Table(
    "known_topics",
    metadata,
    Column("id", Integer, primary_key=True),
    _in("repositories"),
    Column("topic", Text, nullable=False),
    UniqueConstraint("repository_id", "topic"),
)

change_paths = Table(
    "change_paths",
    metadata,
    _in("changes"),
    Column("path", Text, nullable=False),
    _in("repositories"),
    Column("committed_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("change_id", "path"),
    Index(None, "repository_id", "path", "committed_at"),
    sqlite_with_rowid=False,
)

tips = Table(
    "tips",
    metadata,
    _in("repositories"),
    Column("branch", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("sha", Text, nullable=False),
    PrimaryKeyConstraint("repository_id", "branch", "channel"),
)

outcomes = Table(
    "outcomes",
    metadata,
    _in("repositories"),
    Column("sha", Text, nullable=False),
    Column("branch", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("why", Text, nullable=False),
    PrimaryKeyConstraint("repository_id", "sha", "branch", "channel"),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("platform", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("done", Boolean, nullable=False),
    UniqueConstraint("platform", "channel", "digest"),
    Index(
        "ix_deliveries_undone",
        "id",
        sqlite_where=text("NOT done"),
        postgresql_where=text("NOT done"),
    ),
)

delivery_parts = Table(
    "delivery_parts",
    metadata,
    Column("delivery_id", ForeignKey("deliveries.id", ondelete="CASCADE"), nullable=False),
    Column("part", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("receipt", Text, nullable=False),
    Column("error", Text, nullable=False),
    PrimaryKeyConstraint("delivery_id", "part"),
)

slots = Table(
    "slots",
    metadata,
    Column("subscription", Text, nullable=False),
    Column("slot", Text, nullable=False),
    PrimaryKeyConstraint("subscription", "slot"),
)

digests = Table(
    "digests",
    metadata,
    Column("name", Text, primary_key=True),
    Column("repository", Text, nullable=False),
    Column("branch", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("zone", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("document", Text, nullable=False),
    # Its full report, by key; many digests have the same.
    Column("report", Text, nullable=False),
    Column("counts", Text, nullable=False),
    # Where the branch stood, and how each commit ends once the digest is delivered.
    Column("tip", Text, nullable=False),
    Column("outcomes", Text, nullable=False),
    Index(None, "created_at"),
    Index(None, "report"),
)

# Full reports as Markdown, by the SHA-256 of the text in hexadecimal.
reports = Table(
    "reports",
    metadata,
    Column("key", Text, primary_key=True),
    Column("markdown", Text, nullable=False),
)

# What a model said of a change, checked; see bot.store.analyses. The row of a change is found by
# its sha, that of the same change under another name, after a rebase, by its diff.
analyses = Table(
    "analyses",
    metadata,
    Column("id", Integer, primary_key=True),
    _in("repositories"),
    Column("sha", Text, nullable=False),
    Column("diff", Text, nullable=False),
    Column("facts_version", Integer, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    # Why there is no analysis, where asking again would be paid again for nothing.
    Column("failure", Text, nullable=False),
    Column("content", Text, nullable=False),
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
    _in("repositories"),
    Column("shown", Text, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("failure", Text, nullable=False),
    Column("content", Text, nullable=False),
    PrimaryKeyConstraint("repository_id", "shown", "prompt", "model", "language"),
)

model_calls = Table(
    "model_calls",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    # A name, not a row: what was paid stays on the books whatever becomes of the repository.
    Column("repository", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("rung", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    # In billionths of the currency.
    Column("cost", BigInteger, nullable=False),
    Column("currency", Text, nullable=False),
    Column("estimated", Boolean, nullable=False),
    Index(None, "at"),
)

# How far each conversation is, as JSON, and when it was last gone on with.
conversations = Table(
    "conversations",
    metadata,
    Column("platform", Text, nullable=False),
    Column("chat", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    PrimaryKeyConstraint("platform", "chat", "thread", "person"),
    Index(None, "at"),
)

# Up to which commit a person has looked at a repository in a chat.
looks = Table(
    "looks",
    metadata,
    Column("platform", Text, nullable=False),
    Column("chat", Text, nullable=False),
    Column("person", Text, nullable=False),
    # A name, not a row: what was seen stays seen when the repository is read anew.
    Column("repository", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("tip", Text, nullable=False),
    PrimaryKeyConstraint("platform", "chat", "person", "repository"),
)

# What somebody depends on: ``owner`` is a chat or a person, ``entries`` are written as JSON texts,
# ``tip`` is the commit up to which alerts were looked for, empty where nobody asked for any.
profiles = Table(
    "profiles",
    metadata,
    Column("owner", Text, nullable=False),
    Column("repository", Text, nullable=False),
    Column("entries", Text, nullable=False),
    Column("alerts", Integer, nullable=False),
    Column("tip", Text, nullable=False),
    PrimaryKeyConstraint("owner", "repository"),
)

# Chats that refuse what is sent to them, by the account's name in the configuration. One that did
# so too often is parked: nothing is sent there until a probe succeeds or an admin says so.
refusals = Table(
    "refusals",
    metadata,
    Column("account", Text, nullable=False),
    Column("chat", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("strikes", BigInteger, nullable=False),
    Column("since", BigInteger, nullable=False),
    # 0 where it is not parked.
    Column("parked_at", BigInteger, nullable=False),
    Column("probes", BigInteger, nullable=False),
    Column("next_probe", BigInteger, nullable=False),
    PrimaryKeyConstraint("account", "chat"),
)

# What became of a change after a digest that shows it was posted: ``sha`` is the change, ``by_sha``
# the one that reverts it.
amendments = Table(
    "amendments",
    metadata,
    Column("platform", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("sha", Text, nullable=False),
    Column("by_sha", Text, nullable=False),
    Column("by_name", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    PrimaryKeyConstraint("platform", "channel", "digest", "sha", "by_sha"),
    Index(None, "state"),
)

# What a forge answered, to be asked with its etag whether it still holds; see bot.store.pages.
forge_pages = Table(
    "forge_pages",
    metadata,
    # Under whose name it was asked: what one account may see, another may not.
    Column("account", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("etag", Text, nullable=False),
    Column("link", Text, nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("account", "address"),
    Index(None, "at"),
)

# What a forge says of pull and merge requests, whatever became of them; see bot.store.requests.
requests = Table(
    "requests",
    metadata,
    _in("repositories"),
    Column("number", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("merge_commit", Text, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("content", Text, nullable=False),
    # Its diff analysed, as JSON, for one that is no change of the branch; else empty.
    Column("graded", Text, nullable=False),
    PrimaryKeyConstraint("repository_id", "number"),
    Index(None, "repository_id", "merge_commit"),
)

# Up to which moment the list of a repository's requests was read.
forge_marks = Table(
    "forge_marks",
    metadata,
    _in("repositories", primary=True),
    Column("read_until", BigInteger, nullable=False),
)

# Messages to the bot, each once, as long as a platform may deliver it again; see bot.store.replies.
heard = Table(
    "heard",
    metadata,
    Column("account", Text, nullable=False),
    Column("chat", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    # The proof of the message that is, or becomes, the answer.
    Column("receipt", Text, nullable=False),
    # The message itself, to be answered after a crash.
    Column("asked", Text, nullable=False),
    PrimaryKeyConstraint("account", "chat", "message"),
    Index(None, "at"),
)

# What a person thinks of a change (its sha) or of a digest (its name), the last word of each; the
# grade is that of the moment.
feedback = Table(
    "feedback",
    metadata,
    # A name, not a row: what people said stays said when the repository is read anew.
    Column("repository", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("platform", Text, nullable=False),
    Column("chat", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("score", Float),
    Column("reasons", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("repository", "subject", "platform", "chat", "person"),
    Index(None, "at"),
)

# What a chat set for itself, as JSON; see bot.store.chats.
chats = Table(
    "chats",
    metadata,
    Column("platform", Text, nullable=False),
    Column("chat", Text, nullable=False),
    Column("settings", Text, nullable=False),
    PrimaryKeyConstraint("platform", "chat"),
)

# Which digests a chat asked for by itself; ``schedule`` is JSON.
chat_subscriptions = Table(
    "chat_subscriptions",
    metadata,
    Column("platform", Text, nullable=False),
    Column("chat", Text, nullable=False),
    # A name of the configuration, which may go and come back.
    Column("repository", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("schedule", Text, nullable=False),
    PrimaryKeyConstraint("platform", "chat", "repository", "kind"),
)
