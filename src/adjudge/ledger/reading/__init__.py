"""What is asked: a filter as SQL, pages, streams, arrays for statistics, and what a run needs to know."""
