"""The text of a page: what is shown, and in time that grows with the page alone."""

import time

import pytest

from hammerstone.connectors.page_text import page_text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>a<p>b", "a\nb"),
        ("a <b>bold</b> word", "a bold word"),
        ("<div hidden>no<div>no</div>no</div>yes", "yes"),
        ("<div hidden><i>no</b></i></div>yes", "yes"),
        ('<p style="color:red; display: NONE">no</p>yes', "yes"),
        ("<p aria-hidden=true>no</p>yes", "yes"),
        ("<script>if (a < b) '</p>'</script >yes", "yes"),
        ("<SCRIPT>no</ScRiPt>yes", "yes"),
        ("<script>never closed", ""),
        ("<!-- <p>no --> yes <!-- never closed", "yes"),
        ("<!doctype html><?xml?><![CDATA[x]]>yes", "yes"),
        ("a &lt; b &amp; c &#65; &#x42;", "a < b & c A B"),
        ("5 < 6 and 7 <8", "5 < 6 and 7 <8"),
        ("<a href='x>y' title=\"<b>\">link</a>", "link"),
        ("<a href=x title='never closed>no", ""),
        ("<a =x 'y \"z>in</a>", "in"),
        ("<img src=x hidden>shown<br>next", "shown\nnext"),
        ("<title>head</title><textarea>a<b</textarea>", "heada<b"),
        ("</p></div></>x", "x"),
    ],
)
def test_what_is_shown_is_read(source, text):
    assert page_text(source) == text


@pytest.mark.parametrize("digits", ["1" * 5000, "x" + "f" * 5000, "0" * 9000 + "65"])
def test_a_reference_to_no_character_is_no_error(digits):
    assert page_text(f"a&#{digits};b").startswith("a")


PATTERNS = [
    "<b hidden>", "<b hidden></i>", "<b hidden>x</b>", "<!--", "<a ", "<", "<!", "</", "<a b='",
    '<a b="', "<![", "<?", "&", "&#", "&a", "<script>", "<script></scrip", "<div>", "</div>",
    "<textarea>", "<a =", "<a b", "<a\n", "<p style='", "\x00", "<title><", "< ", "<a/",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("closing", ["", "</i>"])
def test_time_grows_with_the_size_and_not_with_its_square(pattern, closing):
    def spent(size):
        count = size // len(pattern + closing)
        began = time.thread_time()
        page_text(pattern * count + closing * count)
        return time.thread_time() - began

    small, large = (min(spent(size) for _ in range(3)) for size in (10_000, 80_000))
    assert large < 30 * max(small, 0.001)  # eight times the size; with the square 64 times
