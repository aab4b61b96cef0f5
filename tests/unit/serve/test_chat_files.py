"""Files that a line of a chat names."""

from pathlib import Path

import pytest

from hammerstone.serve.cli.requests.chat.chat_files import files_in


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "my sales.csv"
    path.write_text("a,b\n")
    return path


def test_a_file_after_an_at_sign_goes_with_the_request(sales: Path) -> None:
    plain = sales.with_name("sales.csv")
    plain.write_text("a\n")
    named = files_in(f"sum column a of @{plain} please")
    assert (named.text, named.paths) == ("sum column a of sales.csv please", (plain,))


@pytest.mark.parametrize("form", ["'{}'", '"{}"', "@'{}'", "{escaped}", "file://{quoted}"])
def test_a_file_dragged_into_the_window_is_found_as_terminals_write_it(
    form: str, sales: Path
) -> None:
    path = str(sales)
    line = form.format(path, escaped=path.replace(" ", "\\ "), quoted=path.replace(" ", "%20"))
    named = files_in(f"What is in {line}")
    assert named.paths == (sales,) and named.text == "What is in my sales.csv"


@pytest.mark.parametrize(
    "line",
    ["mail ada@example.org about 3/4 and/or 5", "/why", "@ada said so", "what is 'a b'?", "it's 5"],
)
def test_words_stay_words(line: str) -> None:
    named = files_in(line)
    assert (named.text, named.paths, named.missing) == (line, (), ())


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert files_in(f"read @{tmp_path}/none.csv").missing == (f"{tmp_path}/none.csv",)
