"""What one person says, another never reads: every way out is searched for planted words."""

import io
import json
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hammerstone.core.calls import Call
from hammerstone.core.chat import Prompt
from hammerstone.core.tools import Case, CaseKind
from hammerstone.evaluation.evolving.product_bench import ProductBench
from hammerstone.library.tools.registry import ActivationReason, NewVersion
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.rights import OPERATIONS
from hammerstone.storage.stores.learning.studies import Study, StudyTrial
from tests.integration.engine import Script, services_of, solution_of
from tests.integration.serve.sharing import Shared, shared

pytestmark = pytest.mark.timeout(600)  # some hundred requests
CANARIES = {"ann": "Quagmirel", "bob": "Zephyrook"}
CODE = '''
def shout(text: str) -> str:
    """A text in capitals with a mark behind it."""
    return text.upper() + "!"
'''
SHOUT = "Shout {} in capitals with a mark behind it"
TESTS = """```python
assert shout("tea") == "TEA!"
assert shout("") == "!"
assert shout("Old Town") == "OLD TOWN!"
assert shout("x1") == "X1!"
assert shout("CANARY") == "CANARY!"
```"""


def canary_in(prompt: Prompt) -> str:
    text = str(prompt.messages[-1])
    known = (*CANARIES.values(), *(f"tea{n}" for n in range(12, 0, -1)))
    return next((word for word in known if word in text), "nothing")


def script() -> Script:
    """Each request is solved with its own words, and one author of tests quotes them."""
    return Script(
        solution=lambda prompt: solution_of(CODE, f"shout({canary_in(prompt)!r})"),
        arguments=lambda prompt: f'{{"text": "{canary_in(prompt)}"}}',
        tests=lambda prompt: TESTS.replace("CANARY", canary_in(prompt).upper()),
        code=f"```python{CODE}```",
        foretell='"TEA!"',
        kind="calculation",
        answer="done",
    )


def live_in(app: Shared, name: str) -> dict[str, Any]:
    """Everything a person can leave somewhere, with their own word in it."""
    word = CANARIES[name]
    example = f"{word + ' old'!r} -> {word.upper() + ' OLD!'!r}"
    text = f"{SHOUT.format(word)}, for example {example}"
    answer = app.post(name, "/api/ask", {"text": text, "wait": True}).json()
    assert answer["result"] == f"{word.upper()}!", answer
    app.post(name, "/api/memory", {"text": f"I live in {word}"})
    app.call(name, "PUT", f"/api/files/{word}.txt", content=word.encode())
    document = f"/api/documents/files/{word}.txt"
    assert app.call(name, "PUT", document, content=word.encode()).status_code == 201
    title = {"title": f"about {word}"}
    app.call(name, "PATCH", f"/api/sessions/{answer['session_id']}", json=title)
    tool = answer["tool"] or "shout"
    app.post(name, f"/api/tools/{tool}/run", {"arguments": {"text": f"{word} again"}})
    right = {"right": False, "expected": f"{word}?"}
    app.post(name, f"/api/runs/{answer['run_id']}/feedback", right)
    stop = {"scope": "session", "target": answer["session_id"], "why": word}
    assert app.post(name, "/api/stops", stop).status_code == 201
    return answer


def evolve_in(app: Shared, folder: Path) -> None:
    """A round on a suite that fails, an experiment that people's requests are part of, a study,
    and a judgement of everybody's requests: what learning from people leaves behind."""
    suite = folder / "suites" / "shouts"
    suite.mkdir(parents=True)
    (suite / "suite.toml").write_text('name = "shouts"\n')
    rows = [
        {"id": f"s{n}", "request": SHOUT.format(f"tea{n}"), "expect": "TEA?"} for n in range(1, 13)
    ]
    (suite / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    hs: Any = app.client.app.state.engine  # type: ignore[attr-defined]
    hs.evolution.use_bench(ProductBench(hs, lambda: OneModel(ScriptedModel(script()))))
    arms = {"title": "marks", "variants": {"stricter": {"fit.high": 0.9}}}
    assert app.post("local", "/api/experiments", arms).status_code == 201
    for name, word in CANARIES.items():
        app.post(name, "/api/ask", {"text": f"Shout {word} once more, loudly", "wait": True})
        assert app.post(name, "/api/evolution/judge", {"last": 20}).json()
    done = app.post("local", "/api/evolution/rounds", {"suite": "shouts"})
    assert done.status_code == 200 and done.json()["attempts"], done.text
    db = services_of(hs).records.db
    at = db.access.clock.now()

    async def study() -> None:
        await db.studies.begin(Study("study", "fit", "running", "grid", at))
        await db.studies.add(StudyTrial("study", 1, {"high": 0.9}, 0.5, at))

    assert app.client.portal is not None
    app.client.portal.call(study)


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Shared, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("shared")
    with shared(folder, script(), starter_tools=False) as app:
        for name in CANARIES:
            app.add(name, "member")
        answers = {name: live_in(app, name) for name in CANARIES}
        evolve_in(app, folder)
        yield app, answers


def values_for(app: Shared, answers: dict[str, Any]) -> dict[str, list[str]]:
    """What a path may name: the things of both people."""
    runs = [one["run_id"] for one in answers.values()]
    traces = [t["id"] for name in CANARIES for t in app.get(name, "/api/traces").json()]
    sessions = [s["id"] for name in CANARIES for s in app.get(name, "/api/sessions").json()]
    tools = [tool["name"] for tool in app.get("ann", "/api/tools").json()]
    proposals = [one["id"] for one in app.get("ann", "/api/proposals").json()]
    assert len(sessions) >= 2 and len(traces) >= 4 and tools
    spans = [
        span["id"]
        for name in CANARIES
        for trace in app.get(name, "/api/traces").json()[:2]
        for span in app.get(name, f"/api/traces/{trace['id']}").json()["spans"][:4]
    ]
    assert len(spans) >= 8
    rounds = [one["id"] for one in app.get("local", "/api/evolution/rounds").json()]
    trials = [one["id"] for one in app.get("local", "/api/experiments").json()]
    assert len(rounds) == len(trials) == 1
    for made in (f"evolution/rounds/{rounds[0]}", "evolution/scores/shouts", "tuning/study"):
        assert app.get("local", f"/api/{made}").json()  # there is something to be found
    assert app.get("local", "/api/evolution/attempts").json()
    assert app.get("local", "/api/evolution/samples").json()
    documents = [d["id"] for name in CANARIES for d in app.get(name, "/api/documents").json()]
    assert len(documents) == 2
    return {
        "run_id": runs,
        "document_id": [str(one) for one in documents],
        "trace_id": traces,
        "other_id": traces[:2],
        "span_id": spans,
        "session_id": sessions,
        "name": [*tools, "fit"],
        "number": ["1", "2"],
        "file_id": ["none"],
        "proposal_id": proposals or ["none"],
        "path:path": ["app.js"],
        "study_id": ["study"],
        "round_id": rounds,
        "experiment_id": trials,
        "suite": ["shouts"],
    }


def paths(values: dict[str, list[str]]) -> Iterator[str]:
    queries = {"/api/search": "?q=shout", "/api/memory/search": "?q=capitals live"}
    queries |= {"/api/documents/search": "?q=QUAGMIREL ZEPHYROOK"}
    queries |= {"/api/skills/find": "?q=shout", "/api/graph/paths": "?want=shout&have=string"}
    queries |= {"/api/tools/{name}/diff": "?old=1&new=1", "/api/ledger": "?every=true"}
    queries |= {"/api/approvals": "?pending=false", "/api/analytics/patterns": "?limit=1000"}
    for method, path in OPERATIONS:
        if method != "GET":
            continue
        names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        for chosen in product(*(values[name] for name in names)):
            filled = path
            for name, value in zip(names, chosen, strict=True):
                filled = filled.replace(f"{{{name}}}", value)
            yield filled + queries.get(path, "")


def text_of(response: Any) -> str:
    if response.headers.get("content-type", "").startswith("application/zip"):
        archive = zipfile.ZipFile(io.BytesIO(response.content))
        return "\n".join(archive.read(name).decode() for name in archive.namelist())
    return response.text


def others(name: str) -> list[str]:
    return [word.lower() for who, word in CANARIES.items() if who != name]


def test_no_route_shows_what_another_person_said(lived_in: tuple[Shared, dict[str, Any]]) -> None:
    app, answers = lived_in
    values, hits, own = values_for(app, answers), list[str](), 0
    for name in (*CANARIES, "local"):
        for path in paths(values):
            shown = text_of(app.get(name, path)).lower()
            hits += [f"{name} reads {word} at {path}" for word in others(name) if word in shown]
            own += name in CANARIES and CANARIES[name].lower() in shown
    assert not hits
    assert own > 20  # the search finds what is there to be found


def test_a_tool_shows_its_request_to_whoever_asked(
    lived_in: tuple[Shared, dict[str, Any]],
) -> None:
    app, _ = lived_in
    (tool,) = app.get("ann", "/api/tools").json()
    mine = app.get("ann", f"/api/tools/{tool['name']}").json()
    assert CANARIES["ann"] in mine["provenance"]["request"] and mine["hidden_cases"] == 0
    theirs = app.get("bob", f"/api/tools/{tool['name']}").json()
    assert theirs["provenance"]["request"] == "asked by another person"
    assert {"run", "trace", "user", "people"}.isdisjoint(theirs["provenance"])
    assert theirs["code"] == mine["code"] and theirs["description"] == mine["description"]
    kept = {case["text"] for case in theirs["suite"]}
    assert kept < {case["text"] for case in mine["suite"]} and kept
    assert len(kept) + theirs["hidden_cases"] == len(mine["suite"])


def test_no_socket_follows_another_persons_run(lived_in: tuple[Shared, dict[str, Any]]) -> None:
    app, answers = lived_in
    with app.client.websocket_connect("ws://127.0.0.1:8321/ws", headers=app.of("bob")) as socket:
        socket.send_json({"resume": answers["ann"]["run_id"], "after": -1})
        assert socket.receive_json()["error"]["code"] == "not_found"


def test_other_protocols_show_nothing_of_it_either(
    lived_in: tuple[Shared, dict[str, Any]],
) -> None:
    app, _ = lived_in
    accept = {"accept": "application/json, text/event-stream"}
    shown = ""
    for method in ("tools/list", "resources/list"):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
        told = app.client.post("/mcp", json=body, headers=app.of("bob") | accept)
        shown += told.text.lower()
    shown += app.get("bob", "/.well-known/agent-card.json").text.lower()
    assert CANARIES["ann"].lower() not in shown


async def test_a_repair_and_a_composite_hide_the_values_they_were_made_of(tmp_path: Path) -> None:
    """Values of several people in one version: nobody sees them, judging uses them."""
    from dataclasses import replace

    from hammerstone.app.hammerstone import Hammerstone
    from hammerstone.core.settings import Settings
    from hammerstone.library.tools.sharing import ELSEWHERE, with_people
    from tests.integration.engine import add_tool

    model = OneModel(ScriptedModel(script()))
    async with Hammerstone.open(Settings(data_dir=tmp_path, embedder="off"), models=model) as hs:
        case = Case(CaseKind.VALUE, Call(kwargs={"text": "Quagmirel"}), "QUAGMIREL!", origin="user")
        text: Any = {"text": {"type": "string"}}
        tool = await add_tool(hs, CODE.strip(), "In capitals.", text, {}, suite=(case,))
        version = tool.version
        about = with_people({"request": "Shout Quagmirel", "user": "ann"}, ["ann", "bob"])
        new = NewVersion(
            spec=replace(version.spec, examples=(case,)),
            code=version.code + "\n",
            suite=version.suite,
            rejected=(case,),
            status=tool.status,
            confidence=0.9,
            evidence={"mutation_score": 1.0, "question": {"call": "shout('Quagmirel')"}},
            provenance=about,
        )
        made = await hs.tools.register(new, ActivationReason("repaired", "test", "Quagmirel"))
        for user in ("ann", "bob", "local"):
            shown = await hs.sharing.seen_by(made.version, user)
            assert not shown.suite and not shown.rejected and not shown.spec.examples
            assert shown.provenance["hidden_cases"] == 1
            told = "Shout Quagmirel" if user == "ann" else ELSEWHERE
            assert shown.provenance["request"] == told
        assert (await hs.tools.get("shout")).version.suite == version.suite
