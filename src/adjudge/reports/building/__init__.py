"""From a ledger to data: what reads trials, groups them, asks `adjudge.stats` and fills the models.

Nothing here makes text for a terminal or a page.
"""
