"""An answer as a value: read it, find what stands in it, change it, write it again."""

from adjudge.audit.documents.document import (
    Document,
    key_again,
    open_document,
    raw_number,
    unquoted,
    write_json,
)
from adjudge.audit.documents.leaves import (
    Leaf,
    Path,
    dropped,
    get,
    leaves,
    lists,
    name_of,
    replaced,
    representative,
    slug,
    spread,
    write_number,
)
from adjudge.audit.documents.prose import Block, find_block
from adjudge.audit.documents.shapes import (
    in_format,
    nonsense,
    options_shown,
    shape,
    skeleton,
    stated_share,
    stated_tolerance,
)

__all__ = [
    "Block",
    "Document",
    "Leaf",
    "Path",
    "dropped",
    "find_block",
    "get",
    "in_format",
    "key_again",
    "leaves",
    "lists",
    "name_of",
    "nonsense",
    "open_document",
    "options_shown",
    "raw_number",
    "replaced",
    "representative",
    "shape",
    "skeleton",
    "slug",
    "spread",
    "stated_share",
    "stated_tolerance",
    "unquoted",
    "write_json",
    "write_number",
]
