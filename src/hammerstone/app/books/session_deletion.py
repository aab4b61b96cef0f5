"""Taking a session out of everything that holds something of it."""

from hammerstone.app.hammerstone import Hammerstone


async def delete_session(
    hs: Hammerstone, session_id: str, user: str, *, lessons: bool = False
) -> list[str]:
    """Delete a person's session; what was done, in words.

    Its share in patterns goes in any case. With `lessons`, so does what was learned from it and
    not from enough others. Tools that were built in it stay: they hold nothing of it but the
    request they were built for. Raises `NotFound` for a session that is not theirs.
    """
    await hs.sessions.get(session_id, user)
    done = await hs.learning.ledger.forget_session(session_id, lessons=lessons)
    await hs.memory.forget_session(user, session_id)
    await hs.sessions.delete(session_id, user)
    return ["the session, its messages, calls, files and traces", *done]
