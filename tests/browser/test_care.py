"""What people do to look after it: prove the sandbox, carry settings over, delete a session."""

import io
import json
import zipfile
from pathlib import Path

from playwright.async_api import Page, expect

from tests.browser.conftest import ask
from tests.integration.serving import Served


async def test_the_sandbox_is_attacked_on_demand(page: Page, served: Served) -> None:
    await page.goto(f"{served.address}#/settings")
    await page.click("text=Look at every part")
    await expect(page.locator("text=parts in order")).to_be_visible(timeout=60_000)
    await page.click("text=Prove it now")
    await expect(page.locator("text=It holds")).to_be_visible(timeout=120_000)
    await expect(page.locator("tr:has-text('files.read_shadow')")).to_contain_text("stopped")


async def test_policies_leave_as_a_file_and_come_back_with_a_look_first(
    page: Page, served: Served, tmp_path: Path
) -> None:
    await page.goto(f"{served.address}#/settings")
    policies = page.locator(".card:has(h3:text('Policies'))")
    async with page.expect_download() as saving:
        await policies.locator("text=Save as a file").click()
    kept = tmp_path / "policies.json"
    await (await saving.value).save_as(kept)
    document = json.loads(kept.read_text())
    document["policies"]["fit"]["high"] = 0.9
    kept.write_text(json.dumps(document))
    await policies.locator("input[type=file]").set_input_files(kept)
    await expect(page.locator("dialog")).to_contain_text("fit: high 0.9")
    await page.fill("dialog input", "as at home")
    await page.click("dialog >> role=button[name='Import']")
    await expect(page.locator("[role=status]", has_text="Done")).to_contain_text("fit")
    stored = await (await page.request.get(f"{served.address}api/policies/fit/history")).json()
    assert [(row["value"], row["why"]) for row in stored] == [({"high": 0.9}, "as at home")]


async def test_the_library_leaves_as_a_file_and_nonsense_does_not_come_in(
    page: Page, served: Served, tmp_path: Path
) -> None:
    await ask(page, served.address)
    await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    proved = page.locator("a:has-text('percentage_of v1')").first
    await expect(proved).to_be_visible(timeout=60_000)  # its proof is done
    await page.goto(f"{served.address}#/settings")
    library = page.locator(".card:has(h3:text('Library'))")
    async with page.expect_download() as saving:
        await library.locator("text=Save as a file").click()
    kept = tmp_path / "library.zip"
    await (await saving.value).save_as(kept)
    assert "percentage_of/tool.py" in zipfile.ZipFile(io.BytesIO(kept.read_bytes())).namelist()
    await library.locator("input[type=file]").set_input_files(kept)
    await expect(page.locator("dialog")).to_contain_text("1 unchanged")
    await page.click("dialog >> text=Cancel")
    kept.write_bytes(b"nonsense")
    await library.locator("input[type=file]").set_input_files(kept)
    await expect(page.locator(".problem")).to_contain_text("no readable zip file")


async def test_a_session_is_renamed_and_deleted(page: Page, served: Served) -> None:
    await ask(page, served.address)
    await expect(page.locator(".result.big")).to_have_text("42", timeout=60_000)
    await expect(page.locator("role=button[name='Show how']")).to_be_visible(timeout=60_000)
    session = page.url.rpartition("/")[2]
    await page.click("text=Rename")
    await page.fill("dialog input", "Percentages")
    await page.click("dialog >> role=button[name='Rename']")
    await expect(page.locator("h1")).to_have_text("Percentages")
    await page.reload()
    await page.click("role=button[name='Steps']")
    await expect(page.locator(".timeline summary")).to_contain_text("Solve › Solutions")
    await page.click("role=button[name='Delete']")
    await page.check("text=also undo what was learned")
    await page.click("dialog >> role=button[name='Delete']")
    await expect(page.locator("h1")).to_have_text("Ask for something")
    gone = await page.request.get(f"{served.address}api/sessions/{session}")
    assert gone.status == 404
    await expect(page.locator("aside.sessions")).not_to_contain_text("Percentages")
