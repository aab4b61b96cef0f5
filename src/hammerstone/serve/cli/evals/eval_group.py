"""`hammerstone eval` with the command of every measurement."""

from hammerstone.serve.cli.evals import (
    eval_answers,
    eval_arguments,
    eval_calibration,
    eval_documents,
    eval_families,
    eval_repair,
    eval_retrieval,
)
from hammerstone.serve.cli.evals.eval import app

eval_retrieval.register(app)
eval_answers.register(app)
eval_arguments.register(app)
eval_calibration.register(app)
eval_documents.register(app)
eval_families.register(app)
eval_repair.register(app)

__all__ = ["app"]
