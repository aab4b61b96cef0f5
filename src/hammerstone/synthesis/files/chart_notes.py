# pyright: basic
"""Notes what a chart shows while it is saved. Appended to code that draws, inside the sandbox.

A picture's pixels depend on fonts and colours; what counts is the data in it: the bars' heights,
the lines' points, the shares of a pie. They are left beside the picture as one more file.
"""


def _hammerstone_watch():
    import json
    from pathlib import Path

    import matplotlib.figure as figure

    notes = Path.cwd() / "out" / "hammerstone-drawn.json"

    save = figure.Figure.savefig

    def numbers(values):
        return [round(float(value), 6) for value in values]

    def shown(axes):
        patches = list(axes.patches)
        bars = [p for p in patches if hasattr(p, "get_height")]
        wedges = [p for p in patches if hasattr(p, "theta1")]
        sizes = [p.get_width() if axes_are_sideways(bars) else p.get_height() for p in bars]
        return {
            "bars": numbers(sizes),
            "shares": numbers((w.theta2 - w.theta1) / 360 for w in wedges),
            "lines": [numbers(line.get_ydata()) for line in axes.get_lines()],
            "points": [[numbers(xy) for xy in c.get_offsets()] for c in axes.collections],
        }

    def axes_are_sideways(bars):
        return len({round(p.get_height(), 6) for p in bars}) == 1 and len(bars) > 1

    def savefig(self, *args, **kwargs):
        result = save(self, *args, **kwargs)
        try:
            drawn = [shown(axes) for axes in self.axes]
            with notes.open("a") as file:
                file.write(json.dumps(drawn) + "\n")
        except Exception:
            return result  # the chart is as it is: it can only not be compared
        return result

    figure.Figure.savefig = savefig
