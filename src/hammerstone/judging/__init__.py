"""The product's judgements, each in one place.

Whether two values are equal, whether a case passes, whether a schema accepts arguments, which
inputs are tried, which mistakes a suite has to notice, and how a call is written down.
"""
