"""Tuning: better numbers for policies, found on earlier decisions and judged on later ones."""
