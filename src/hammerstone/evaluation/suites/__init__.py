"""Suites: cases as data in a folder, how they are graded, and against what they are run."""
