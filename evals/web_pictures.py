"""The pictures of the web app in the docs, taken anew.

    python -m evals.web_pictures docs/images [LIBRARY]

LIBRARY is a data folder to show instead of one that is made up for it.
"""

import sys
from pathlib import Path

from evals.web_app import measure_served

if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    measure_served(*sys.argv[1:3])
