"""Limits for whole process trees: cgroup v1, v2, and subtrees delegated to a user."""

from hammerstone.sandbox.cgroups.tree import Cgroup, CgroupsUnavailable, CgroupTree, find_tree

__all__ = ["Cgroup", "CgroupTree", "CgroupsUnavailable", "find_tree"]
