"""The database: tables, archive, coverage, ledger, search and migrations."""
