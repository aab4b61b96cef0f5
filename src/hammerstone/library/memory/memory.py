"""One person's memory as requests see it: what to keep, what to add to a request."""

import asyncio
import re
import shlex
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from hammerstone.core.clock import Clock
from hammerstone.core.seams import Embedder
from hammerstone.guard.data import visible
from hammerstone.library.memory.context import Context, MemoryPolicy, RelatedExchange
from hammerstone.library.memory.layers import PINNED, Layers, Line
from hammerstone.library.memory.memory_instructions import (
    Layer,
    MemoryInstruction,
    layer_of,
    read_told,
)
from hammerstone.library.memory.recall import Recall, RecalledExchange
from hammerstone.library.memory.summary import fold
from hammerstone.library.memory.tokens import cut, tokens_of
from hammerstone.library.policies import Policies
from hammerstone.library.search.text.stems import stems
from hammerstone.storage import Database
from hammerstone.storage.stores.library.memory import Exchange, Summary
from hammerstone.tracing.scrub.scrubber import Scrubber
from hammerstone.tracing.scrub.secrets import SECRET_KINDS

# Words of somebody who means what was said at another time, perhaps in another session.
_LONG_AGO = re.compile(
    r"\b(did (i|we|you)|(i|we|you) (said|told|mentioned|asked|discussed|talked|calculated|computed"
    r"|decided|used|agreed)|remember|recall|last (time|week|month|night|session)|yesterday"
    r"|the other day|once (said|asked)|my usual|as (usual|always)|like (last time|before))\b",
    re.IGNORECASE,
)
# Words that many requests and many facts have: sharing them says nothing.
_EVERYWHERE = frozenset(
    stems("number list use calculate compute find give show tell make value name get want need")
)
_ONLY_BY_YOU = (
    "Nothing was forgotten: I have nothing about that, or it is a rule, which a program cannot"
    " take back (hammerstone memory forget)."
)
_FADING = {Layer.USER: 0.5, Layer.MEMORY: 0.0}  # what a fact weighs that nothing asks about
_FADED = 0.25  # a fact older than two half-lives is left out unless the request is about it


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """What memory needs to know of a request."""

    text: str
    user: str
    session_id: str
    refers_back: bool
    memory: bool = True
    by_program: bool = False  # not typed by the person at a door of ours: it pins nothing
    asked_by: datetime | None = None  # when it was asked, if that is a while ago


class Memory:
    """Rules, facts, exchanges and summaries. Each question names the person it is for."""

    def __init__(
        self,
        db: Database,
        folder: Path,
        policies: Policies,
        clock: Clock,
        embedder: Embedder | None = None,
    ) -> None:
        self._db = db
        self._policies = policies
        self._clock = clock
        self.layers = Layers(folder, clock)
        self.recall = Recall(db, embedder, clock)
        # What a person asks to remember is theirs to keep, names and addresses included; a
        # secret is not kept anywhere.
        self._without_secrets = Scrubber(kinds=SECRET_KINDS)
        self._background: set[asyncio.Task[None]] = set()

    async def surroundings(self, asking: MemoryRequest) -> Context:
        """What belongs to a request. One that refers to nothing costs a look at a few files."""
        pinned = self._pinned(asking.user)
        policy = self._policies.get(MemoryPolicy)
        if not (policy.enabled and asking.memory):
            return pinned
        facts, about = self._facts(asking, policy)
        context = replace(pinned, facts=facts, about=about)
        long_ago = _LONG_AGO.search(asking.text) is not None
        if not (asking.refers_back or long_ago):
            return context
        return await self._conversation(context, asking, policy, long_ago)

    def told(self, asking: MemoryRequest, source: str) -> str:
        """Keep or forget what the request begins by asking; what to say about it, or nothing."""
        said = read_told(asking.text)
        if said is None or not asking.memory:
            return ""
        if unkept := self.not_kept(asking):
            done = unkept
        elif said.forget:
            gone = self.forget(asking.user, said.text, pinned=not asking.by_program)
            nothing = _ONLY_BY_YOU if asking.by_program else "I had nothing about that."
            done = "Forgotten: " + "; ".join(gone) if gone else nothing
        else:
            done = self.remember(asking.user, said, source)
        return done if said.alone else ""

    @staticmethod
    def not_kept(asking: MemoryRequest) -> str:
        """Why the rule that the request begins with is not kept: a program may not pin one for
        the person. Empty when there is none, or when the person typed it."""
        said = read_told(asking.text) if asking.by_program and asking.memory else None
        if said is None or said.forget or said.layer not in PINNED:
            return ""
        command = f"hammerstone memory remember {shlex.quote(visible(said.text))}"
        return f"Not kept as a rule: it came from a program, and only you can pin one ({command})."

    def remember(self, user: str, said: MemoryInstruction | str, source: str) -> str:
        """Keep one statement; what was kept, and what it replaced."""
        told = (
            said if isinstance(said, MemoryInstruction) else MemoryInstruction(said, layer_of(said))
        )
        text = self._without_secrets.text(told.text)
        replaced = self.layers.add(user, told.layer, text, source)
        instead = [line.text for line in replaced if line.text != text]
        words = "Noted as a rule" if told.layer is Layer.RULES else "Noted"
        return f"{words}: {text}." + (f" (instead of: {'; '.join(instead)})" if instead else "")

    def forget(self, user: str, about: str, *, pinned: bool = True) -> list[str]:
        """Remove what says this from the person's files; the lines that went. Without `pinned`
        rules and identity stay."""
        layers = tuple(layer for layer in Layer if pinned or layer not in PINNED)
        return self.layers.forget(user, about, layers)

    async def forget_session(self, user: str, session_id: str) -> int:
        """Forget what was said in a session; how many exchanges that were."""
        gone = await self._db.memory.forget(user, session_id=session_id)
        await self.recall.forget(user)
        return gone

    async def search(self, user: str, text: str, limit: int = 5) -> list[RecalledExchange]:
        """Earlier exchanges near a text, for people who look for them and judge for themselves."""
        policy = replace(self._policies.get(MemoryPolicy), recalled=limit, minimum_meaning=0.0)
        return await self.recall.find(user, text, policy)

    async def resummarise(self, session_id: str, upto: int, text: str, author: str) -> bool:
        """Put better words in a summary's place, unless it has grown in the meantime."""
        known = await self._db.memory.summary(session_id)
        if known is None or known.upto != upto:
            return False
        better = replace(known, text=text, author=author, at=self._clock.now())
        await self._db.memory.put_summary(better)
        return True

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the requests; it ends with the memory at the latest."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def close(self) -> None:
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.recall.close()

    def _pinned(self, user: str) -> Context:
        return Context(
            rules="\n".join(f"- {line.text}" for line in self.layers.lines(user, Layer.RULES)),
            identity="\n".join(line.text for line in self.layers.lines(user, Layer.IDENTITY)),
        )

    def state(self, user: str) -> list[str]:
        """Something that changes when the person's files do; nothing while there are none."""
        return self.layers.state(user)

    def _facts(self, asking: MemoryRequest, policy: MemoryPolicy) -> tuple[str, str]:
        """The person's facts and what else is known that the request is about; and the latter
        alone."""
        layers = {layer: self.layers.lines(asking.user, layer) for layer in _FADING}
        if not any(layers.values()):
            return "", ""
        wanted = set(stems(asking.text)) - _EVERYWHERE
        ranked: list[tuple[float, str]] = []
        about: list[str] = []
        for layer, always in _FADING.items():
            for place, line in enumerate(layers[layer]):
                shared = len(wanted & set(stems(line.text)))
                weight = self._freshness(line, policy) * always + shared
                if weight >= _FADED * always and weight > 0:
                    ranked.append((weight + place * 1e-6, line.text))
                if shared:
                    about.append(line.text)
        kept: list[str] = []
        for _, text in sorted(ranked, reverse=True):
            if tokens_of("\n".join([*kept, text])) > policy.facts_tokens:
                break
            kept.append(text)
        # In one order whatever was asked, so that the prompt's beginning stays.
        return "\n".join(sorted(kept)), "\n".join(text for text in about if text in kept)

    def _freshness(self, line: Line, policy: MemoryPolicy) -> float:
        if line.day is None:
            return 1.0  # written by hand
        days = max(0, (self._clock.now().date() - line.day).days)
        return 0.5 ** (days / max(policy.half_life_days, 0.01))

    async def _conversation(
        self, context: Context, asking: MemoryRequest, policy: MemoryPolicy, long_ago: bool
    ) -> Context:
        user, session = asking.user, asking.session_id
        recent = self._db.memory.recent
        window = await recent(session, user, policy.window, asked_by=asking.asked_by)
        summary, folded = "", None
        if len(window) >= policy.window:
            summary, folded = await self._summary(asking, window[0].id, policy)
        recalled: Sequence[RecalledExchange] = ()
        if long_ago or summary or not window:
            at_hand = {exchange.id for exchange in window}
            recalled = await self.recall.find(user, asking.text, policy, at_hand)
        log = ""
        if long_ago:
            log = "\n".join(line.text for line in self.layers.log(user))
            log = _tail(log, policy.log_tokens)
        return self._within(
            replace(context, summary=summary, log=log, folded=folded), window, recalled, policy
        )

    def _within(
        self,
        context: Context,
        window: Sequence[Exchange],
        recalled: Sequence[RecalledExchange],
        policy: MemoryPolicy,
    ) -> Context:
        """As much as fits: the newest exchanges first, then what was recalled, then older ones."""
        left = policy.tokens - sum(map(tokens_of, (context.facts, context.summary, context.log)))
        newest, older = window[-3:], window[:-3]
        taken: list[tuple[int, tuple[str, str]]] = []
        kept: list[RelatedExchange] = []

        def take(exchanges: Sequence[Exchange]) -> None:
            nonlocal left
            for exchange in reversed(exchanges):
                pair = _pair(exchange, policy.exchange_tokens)
                left -= tokens_of(f"{pair[0]} {pair[1]}") + 5
                if left < 0:
                    return
                taken.append((exchange.id, pair))

        take(newest)
        for found in recalled:
            asked, got = _pair(found.exchange, policy.exchange_tokens)
            left -= tokens_of(f"{asked} {got}") + 25
            if left < 0:
                break
            one = found.exchange
            when = one.at.date().isoformat()
            kept.append(RelatedExchange(asked, got, one.session_id, one.run_id, when, found.score))
        take(older)
        pairs = tuple(pair for _, pair in sorted(taken))
        return replace(context, window=pairs, recalled=tuple(kept))

    async def _summary(
        self, asking: MemoryRequest, before: int, policy: MemoryPolicy
    ) -> tuple[str, int | None]:
        """The summary of what the window no longer shows, brought up to date, and up to which
        exchange if it was."""
        known = await self._db.memory.summary(asking.session_id)
        after = known.upto if known else 0
        user, session = asking.user, asking.session_id
        fresh = await self._db.memory.between(session, user, after, before)
        if not fresh:
            return known.text if known else "", None
        # What matters is saved where a person finds it before it is shortened.
        self.layers.write_log(user, [_note(exchange) for exchange in fresh])
        text = fold(known.text if known else "", fresh, policy.summary_tokens)
        await self._db.memory.put_summary(
            Summary(
                session_id=session,
                upto=fresh[-1].id,
                exchanges=(known.exchanges if known else 0) + len(fresh),
                text=text,
                author="extract",
                at=self._clock.now(),
            )
        )
        return text, fresh[-1].id


def _pair(exchange: Exchange, tokens: int) -> tuple[str, str]:
    answer = exchange.answer or f"({exchange.status})"
    return cut(exchange.request, tokens // 2), cut(answer, tokens // 2)


def _note(exchange: Exchange) -> str:
    return f"{cut(exchange.request, 60)} → {cut(exchange.answer, 60) or exchange.status}"


def _tail(text: str, tokens: int) -> str:
    """The last lines that fit."""
    kept: list[str] = []
    for line in reversed(text.splitlines()):
        if tokens_of("\n".join([*kept, line])) > tokens:
            break
        kept.append(line)
    return "\n".join(reversed(kept))
