"""The same short trajectory in each of the formats that are read."""

from __future__ import annotations

import json
from typing import Any

ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.5",
    "session_id": "s",
    "agent": {"name": "a", "version": "1", "model_name": "m"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "What is the voltage drop?"},
        {
            "step_id": 2,
            "timestamp": "2026-03-01T12:00:00Z",
            "source": "agent",
            "message": "I will compute it.",
            "reasoning_content": "Ohm's law.",
            "tool_calls": [
                {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "python drop.py"}}
            ],
            "observation": {"results": [{"source_call_id": "c1", "content": "7.2 V"}]},
            "metrics": {"prompt_tokens": 100, "completion_tokens": 20},
            "extra": {"anything": [1, 2]},
        },
        {"step_id": 3, "source": "agent", "message": "Let me check: 7.2 V is right."},
    ],
    "final_metrics": {"total_steps": 3},
}
TRAJECTORY: list[dict[str, Any]] = [
    {"version": 1, "format": "aec-bench-trajectory"},
    {"step": 0, "role": "user", "content": "What is the voltage drop?"},
    {"step": 1, "role": "assistant", "content": "I will compute it.", "reasoning": "Ohm's law."},
    {"step": 1, "role": "tool_call", "tool_name": "bash", "command": "python drop.py"},
    {
        "step": 1,
        "role": "tool_result",
        "tool_name": "bash",
        "stdout": "7.2 V",
        "stderr": "",
        "exit_code": 0,
        "duration_ms": 12.5,
    },
    {"step": 2, "role": "assistant", "content": "Let me check: 7.2 V is right."},
]
CONVERSATION: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "What is the voltage drop?"}]},
    {
        "role": "assistant",
        "content": "I will compute it.",
        "reasoning_content": "Ohm's law.",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "bash", "arguments": '{"command": "python drop.py"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "7.2 V"},
    {"role": "assistant", "content": "Let me check: 7.2 V is right."},
]


def lines(entries: list[dict[str, Any]]) -> bytes:
    """Entries as JSONL."""
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


FILES = {
    "trajectory.json": json.dumps(ATIF, indent=1).encode(),
    "trajectory.jsonl": lines(TRAJECTORY),
    "conversation.jsonl": lines(CONVERSATION),
}
