"""Documents over HTTP: who may add, see and forget what."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from pydantic import SecretStr

from hammerstone.core.settings import Settings
from hammerstone.models.fakes import ScriptedModel
from hammerstone.models.one import OneModel
from hammerstone.serve.api.app import create_app


@asynccontextmanager
async def served(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    settings = Settings(
        data_dir=tmp_path / "data",
        embedder="off",
        token=SecretStr("owner-token"),
        tokens={"ann": SecretStr("ann-token"), "bob": SecretStr("bob-token")},
        max_body_bytes=1000,
        max_upload_bytes=5000,
    )
    app = create_app(settings, OneModel(ScriptedModel([])))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
            yield one


def by(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer {name}-token"}


async def test_an_owner_adds_a_folder_for_everyone(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        folder = tmp_path / "docs"
        folder.mkdir()
        (folder / "rules.md").write_text("# Rules\n\nKeys are returned on Fridays.\n")
        body = {"source": str(folder)}
        assert (
            await client.post("/api/documents", json=body, headers=by("ann"))
        ).status_code == 403
        added = await client.post("/api/documents", json=body, headers=by("owner"))
        assert (added.status_code, added.json()["read"]) == (201, 1)
        (row,) = (await client.get("/api/documents", headers=by("ann"))).json()
        assert (row["file"], row["state"], row["shared"]) == ("rules.md", "read", True)
        found = await client.get(
            "/api/documents/search?q=when+are+keys+returned", headers=by("ann")
        )
        assert found.json()[0]["quote"] == "Keys are returned on Fridays."
        shown = (await client.get(f"/api/documents/{row['id']}", headers=by("ann"))).json()
        assert shown["text"][0]["line"] == 1
        gone = await client.delete(f"/api/documents/{row['id']}", headers=by("ann"))
        assert gone.status_code == 403
        (folder / "rules.md").unlink()
        again = await client.post("/api/documents/refresh", headers=by("owner"))
        assert again.json()[0]["forgotten"] == 1
        audit = (await client.get("/api/people/audit", headers=by("owner"))).json()
        assert any("added documents" in str(entry) for entry in audit)


async def test_an_upload_is_ones_own_and_goes_when_it_is_forgotten(tmp_path: Path) -> None:
    async with served(tmp_path) as client:
        text = b"The vault opens with marzipan. " * 50
        put = await client.put("/api/documents/files/a.txt", content=text, headers=by("ann"))
        assert (put.status_code, put.json()["read"]) == (201, 1)
        assert (await client.get("/api/documents", headers=by("bob"))).json() == []
        (row,) = (await client.get("/api/documents", headers=by("ann"))).json()
        assert not row["shared"]
        other = await client.get(f"/api/documents/{row['id']}", headers=by("bob"))
        assert other.status_code == 404
        assert list((tmp_path / "data" / "documents").rglob("a.txt"))
        gone = await client.delete(f"/api/documents/{row['id']}", headers=by("ann"))
        assert gone.json() == {"forgotten": 1}
        assert not list((tmp_path / "data" / "documents").rglob("a.txt"))
        large = await client.put(
            "/api/documents/files/b.txt", content=b"x" * 6000, headers=by("ann")
        )
        assert large.status_code in (413, 422)
        odd = await client.put("/api/documents/files/c.exe", content=b"x", headers=by("ann"))
        assert odd.status_code == 422
