"""Alembic's scripts: one file a schema version, each frozen once released."""
