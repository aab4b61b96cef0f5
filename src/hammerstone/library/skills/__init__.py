"""Agent Skills: imported, checked, found on demand, run in the sandbox, composed, exported."""

from hammerstone.library.skills.compose import ComposedResult, Composer
from hammerstone.library.skills.policy import SkillPolicy
from hammerstone.library.skills.skill import Skill, SkillHit
from hammerstone.library.skills.skills import IdleSkill, Imported, Skills

__all__ = [
    "ComposedResult",
    "Composer",
    "IdleSkill",
    "Imported",
    "Skill",
    "SkillHit",
    "SkillPolicy",
    "Skills",
]
