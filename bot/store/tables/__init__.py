"""The tables by subject, as the newest migration leaves them.

Every module of tables is imported here, so that ``metadata`` is complete.
"""

from bot.store.tables import archive_tables, chat_tables, ledger_tables

__all__ = ["archive_tables", "chat_tables", "ledger_tables"]
