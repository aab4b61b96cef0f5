// Where the focus goes when the page changes.

/** The new heading gets the focus, so that keys and readers go on there. What takes the focus by
 * itself, such as the field for a request, keeps it. `left` had the focus and `old` was the heading
 * before. Gives back a function that stops waiting. */
export function focusHeading(main, left, old) {
  const taken = () => main.contains(document.activeElement) && document.activeElement !== left;
  const look = () => {
    const heading = main.querySelector("h1");
    if (taken()) watch.disconnect();
    else if (heading && heading !== old) {
      watch.disconnect();
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  };
  const watch = new MutationObserver(look);
  watch.observe(main, { childList: true, subtree: true });
  const timer = setTimeout(() => watch.disconnect(), 5000);
  look();
  return () => {
    clearTimeout(timer);
    watch.disconnect();
  };
}
