"""Documents on the page: uploaded, searched, read, forgotten."""

from pathlib import Path

from playwright.async_api import Page, expect

from tests.integration.serving import Served


async def test_a_file_is_uploaded_found_read_and_forgotten(
    served: Served, page: Page, tmp_path: Path
) -> None:
    note = tmp_path / "light.md"
    note.write_text("# Lighthouses\n\nThe lighthouse at Skerry Point was built by Anna Holm.\n")
    await page.goto(f"{served.address}#/documents")
    await expect(page.get_by_text("There are no documents yet")).to_be_visible()
    await page.locator("input[type=file]").set_input_files(note)
    await expect(page.get_by_text("1 read, 0 unchanged, 0 forgotten")).to_be_visible()
    await page.get_by_label("Search the documents").fill("Who built the lighthouse?")
    await page.get_by_role("button", name="Find passages").click()
    passage = page.get_by_role("list", name="Passages").locator("li").first
    await expect(passage).to_contain_text("light.md, line 3")
    await expect(passage.locator("blockquote")).to_contain_text("Anna Holm")
    await passage.get_by_role("link", name="light.md").click()
    await expect(page.get_by_role("heading", name="Lighthouses")).to_be_visible()
    await page.get_by_role("link", name="All documents").click()
    await page.get_by_role("button", name="Forget light.md").click()
    await page.get_by_role("button", name="Forget", exact=True).click()
    await expect(page.get_by_text("There are no documents yet")).to_be_visible()
