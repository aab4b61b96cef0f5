"""Work between requests, in turns: what a job is, who runs it when, and what it costs and saves."""

from hammerstone.app.learning.jobs.job_policy import LearningPolicy
from hammerstone.app.learning.jobs.job_runner import JobRunner
from hammerstone.app.learning.jobs.learning_job import LearningJob
from hammerstone.core.job_runs import JobChange, JobReport, JobRun, JobRunState

__all__ = [
    "JobChange",
    "JobReport",
    "JobRun",
    "JobRunState",
    "JobRunner",
    "LearningJob",
    "LearningPolicy",
]
