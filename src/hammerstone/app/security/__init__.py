"""The state of what protects this machine, control by control, for `doctor --security`."""

from hammerstone.app.security.control import ControlState, SecurityControl
from hammerstone.app.security.survey import security_controls

__all__ = ["ControlState", "SecurityControl", "security_controls"]
