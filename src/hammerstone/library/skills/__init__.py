"""Agent Skills: imported, checked, found on demand, run in the sandbox, composed, exported."""

from hammerstone.library.skills.running.compose import ComposedResult, SkillRunner
from hammerstone.library.skills.skill import Skill, SkillHit, SkillPolicy
from hammerstone.library.skills.skills import IdleSkill, SkillImport, Skills

__all__ = [
    "ComposedResult",
    "IdleSkill",
    "Skill",
    "SkillHit",
    "SkillImport",
    "SkillPolicy",
    "SkillRunner",
    "Skills",
]
