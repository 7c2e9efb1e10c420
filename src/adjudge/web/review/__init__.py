"""Reviews: which trials are drawn, for whom, what was said, and who decides in the end."""
