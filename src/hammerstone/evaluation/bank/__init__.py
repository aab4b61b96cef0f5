"""Measuring cross-examination on a bank: recorded candidates and suites with hidden labels."""
