"""ALTK's SPARC reflection behind HTTP."""
