"""Controls whose state is in the database: versions, the stop switch, maturity, the audit list."""

from hammerstone.app.security.control import SecurityControl, off, ok, weak
from hammerstone.app.security.stored_state import StoredState
from hammerstone.guard.maturity import MaturityLevel, level_in_force
from hammerstone.guard.stop import stop_of_all

_LIFTED = {"ask_for_connectors": "connectors", "ask_for_heavy": "heavy limits"}


def stored_controls(stored: StoredState) -> list[SecurityControl]:
    return [
        versions(stored),
        stop_switch(stored),
        maturity(stored),
        approvals(stored),
        audit(stored),
    ]


def versions(stored: StoredState) -> SecurityControl:
    """Whether every stored version of a tool is still what its hash says."""
    name, found = "tool versions", stored.versions
    if found.damaged:
        detail = f"{found.damaged} of {found.checked} do not match their hash, and are not run"
        return off(name, detail, "hammerstone db check names them; a backup has the originals")
    return ok(name, f"{found.checked} hashes checked, none damaged")


def stop_switch(stored: StoredState) -> SecurityControl:
    name, everything = "stop switch", stop_of_all(stored.stops)
    if everything is not None:
        by = f"{everything.who} at {everything.at:%Y-%m-%d %H:%M} UTC"
        return ok(name, f"pressed by {by}: nothing runs until `hammerstone resume`")
    single = f", {len(stored.stops)} runs or sessions stopped" if stored.stops else ""
    return ok(name, f"ready: `hammerstone stop --all`{single}")


def maturity(stored: StoredState) -> SecurityControl:
    """What the agent may do without a person's leave."""
    name, level = "maturity level", level_in_force(stored.maturity)
    in_force = f"{level:d} {level.name.lower()}"
    if level is MaturityLevel.AUTONOMOUS:
        detail = f"{in_force}: asks only before what cannot be undone"
        return weak(name, detail, 'hammerstone policies set maturity level=4 --why "..."')
    lifted = [word for field, word in _LIFTED.items() if not getattr(stored.maturity, field)]
    if lifted:
        values = " ".join(f"{field}=true" for field, word in _LIFTED.items() if word in lifted)
        detail = f"{in_force}, but does not ask before {' and '.join(lifted)}"
        return weak(name, detail, f'hammerstone policies set maturity {values} --why "..."')
    return ok(name, f"{in_force}: asks before writing, connectors and heavy limits")


def approvals(stored: StoredState) -> SecurityControl:
    waits = f"no answer within {stored.approvals.wait_s:.0f} s is a no"
    return ok("approvals", f"{stored.waiting} wait for a person; {waits}")


def audit(stored: StoredState) -> SecurityControl:
    last = stored.last_change
    if last is None:
        return ok("audit list", "on; nothing that people share was changed yet")
    return ok("audit list", f"kept; last change {last.at:%Y-%m-%d %H:%M} UTC by {last.who}")
