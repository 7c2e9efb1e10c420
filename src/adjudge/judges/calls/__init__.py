"""Ask a model: what is asked, in which form, over which wire, at what price, and what was asked before."""
