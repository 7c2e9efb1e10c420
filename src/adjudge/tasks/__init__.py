"""A folder on disk becomes a `Task`: loaded, checked, and named by a digest of everything in it."""

from adjudge.tasks.digest import TreeEntry, task_digest, tree_digest
from adjudge.tasks.discover import TaskList, TaskProblem, load_tasks
from adjudge.tasks.fences import Fence, find_fences
from adjudge.tasks.load import load_task
from adjudge.tasks.schema import SchemaProblem, check_schema, schema_problems
from adjudge.tasks.settings import as_json as toml_as_json

__all__ = [
    "Fence",
    "SchemaProblem",
    "TaskList",
    "TaskProblem",
    "TreeEntry",
    "check_schema",
    "find_fences",
    "load_task",
    "load_tasks",
    "schema_problems",
    "task_digest",
    "toml_as_json",
    "tree_digest",
]
