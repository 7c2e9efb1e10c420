"""Other people's loops: adjudge inside them, and their results in adjudge. Each is a folder."""
