"""Repair measured on broken tools."""
