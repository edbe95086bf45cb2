"""From the tree an agent left to an outcome: patch, grading, decision."""
