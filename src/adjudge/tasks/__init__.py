"""A folder on disk becomes a `Task`: loaded, checked, and named by a digest of everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.tasks.check import CheckFinding, Remark, check_tasks
    from adjudge.tasks.declarations import declarations_of, declared_table
    from adjudge.tasks.digest import IGNORED_FOLDERS, TreeEntry, is_ignored_file, task_digest, tree_digest
    from adjudge.tasks.discover import FoundTask, TaskList, find_tasks, list_tasks, load_tasks
    from adjudge.tasks.dockerfile_text import (
        instruction_pairs,
        instruction_words,
        read_instructions,
    )
    from adjudge.tasks.fences import Fence, find_fences
    from adjudge.tasks.goldens import GoldenSettings, declared_categories, golden_paths, golden_settings
    from adjudge.tasks.image import image_recipe, provided_files, written_files
    from adjudge.tasks.kit_copy import KIT, UNTRUSTED, KitState, write_kit
    from adjudge.tasks.load import load_task
    from adjudge.tasks.mentions import mentioned_files
    from adjudge.tasks.schema import check_schema, schema_problems
    from adjudge.tasks.settings import has_deep_keys, toml_as_json
    from adjudge.tasks.sources import own_sources, read_source
    from adjudge.tasks.start import TemplateFormat, start_task
    from adjudge.tasks.steps import TaskStep, open_steps, step_strategy

__all__ = [
    "IGNORED_FOLDERS",
    "KIT",
    "UNTRUSTED",
    "CheckFinding",
    "Fence",
    "FoundTask",
    "GoldenSettings",
    "KitState",
    "Remark",
    "TaskList",
    "TaskStep",
    "TemplateFormat",
    "TreeEntry",
    "check_schema",
    "check_tasks",
    "declarations_of",
    "declared_categories",
    "declared_table",
    "find_fences",
    "find_tasks",
    "golden_paths",
    "golden_settings",
    "has_deep_keys",
    "image_recipe",
    "instruction_pairs",
    "instruction_words",
    "is_ignored_file",
    "list_tasks",
    "load_task",
    "load_tasks",
    "mentioned_files",
    "open_steps",
    "own_sources",
    "provided_files",
    "read_instructions",
    "read_source",
    "schema_problems",
    "start_task",
    "step_strategy",
    "task_digest",
    "toml_as_json",
    "tree_digest",
    "write_kit",
    "written_files",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "check": ("CheckFinding", "Remark", "check_tasks"),
        "declarations": ("declarations_of", "declared_table"),
        "digest": ("IGNORED_FOLDERS", "TreeEntry", "is_ignored_file", "task_digest", "tree_digest"),
        "discover": ("FoundTask", "TaskList", "find_tasks", "list_tasks", "load_tasks"),
        "dockerfile_text": (
            "instruction_pairs",
            "instruction_words",
            "read_instructions",
        ),
        "fences": ("Fence", "find_fences"),
        "goldens": ("GoldenSettings", "declared_categories", "golden_paths", "golden_settings"),
        "image": ("image_recipe", "provided_files", "written_files"),
        "kit_copy": ("KIT", "UNTRUSTED", "KitState", "write_kit"),
        "load": ("load_task",),
        "mentions": ("mentioned_files",),
        "schema": ("check_schema", "schema_problems"),
        "settings": ("has_deep_keys", "toml_as_json"),
        "sources": ("own_sources", "read_source"),
        "start": ("TemplateFormat", "start_task"),
        "steps": ("TaskStep", "open_steps", "step_strategy"),
    },
)
