"""Where rows and bytes lie: the two databases, their tables, names, the hash chain, blobs and migrations."""
