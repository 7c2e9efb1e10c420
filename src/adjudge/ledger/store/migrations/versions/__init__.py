"""One file a schema version, each frozen once released."""
