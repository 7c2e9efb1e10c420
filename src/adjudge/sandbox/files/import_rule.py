"""Runs inside every Python of a sandbox when that starts; never imported here. Why: see `import_order`.

It is added to the end of `encodings/__init__.py`, before which hardly anything is imported: only modules that
are built into the interpreter may be used until it has started. It must work in every Python 3.8 or newer.
"""

# mypy: ignore-errors


def _agents_folders(folders_file):
    import posix

    descriptor = posix.open(folders_file, posix.O_RDONLY)
    try:
        told = b""
        while more := posix.read(descriptor, 65536):
            told += more
        return str(told, "utf-8", "surrogateescape").split("\0")[:-1]
    finally:
        posix.close(descriptor)


def _copied(fullname, folders):
    """A module of the tests that lies in an agent's folder too, where the verifier may have copied it.

    Python would take a package or a compiled library of that name before it.
    """
    import posix
    import sys

    try:
        posix.stat("/tests/" + fullname + ".py")
    except OSError:
        return None
    for folder in folders:
        try:
            path = (folder or posix.getcwd()) + "/" + fullname + ".py"
            posix.stat(path)
        except OSError:
            continue
        return sys.modules["_frozen_importlib_external"].spec_from_file_location(fullname, path)
    return None


def _keep_import_order(folders_file, never, _agents_folders=_agents_folders, _copied=_copied):
    import posix
    import sys

    agents = []
    known = {}

    def read_folders():
        """At each start; and for a warm run, whose process was started before, once more."""
        agents[:] = _agents_folders(folders_file)
        known.clear()

    try:
        read_folders()
    except OSError:
        return None
    named = str(posix.environ.get(b"ADJUDGE_WORKSPACE_MODULES", b""), "utf-8", "replace")
    wanted = frozenset(named.replace(",", " ").split())
    # A slim Python lacks parts of its own library, and an agent's must not stand in for them.
    library = getattr(sys, "stdlib_module_names", frozenset()) - {"test"}
    refused = (library | frozenset(never)) - wanted
    finder = sys.modules["_frozen_importlib_external"].PathFinder

    def is_agents(entry):
        if not isinstance(entry, str):
            return False
        try:
            key = entry if entry.startswith("/") else posix.getcwd() + "/" + entry
        except OSError:
            return True
        if key not in known:
            import posixpath  # built in since 3.11, and read from the standard library before

            path = posixpath.realpath(key)
            known[key] = any(path == folder or path.startswith(folder + "/") for folder in agents)
        return known[key]

    def holds_modules(spec):
        """Is a folder without `__init__.py` a package that somebody wrote, or just a folder?"""
        for folder in spec.submodule_search_locations or ():
            try:
                if any(name.endswith(".py") for name in posix.listdir(folder)):
                    return True
            except OSError:
                pass
        return False

    find = finder.find_spec.__func__

    def find_spec(cls, fullname, path=None, target=None):
        if path is not None or fullname in wanted or fullname == "posixpath":
            return find(cls, fullname, path, target)
        last = [entry for entry in sys.path if is_agents(entry)]
        if not last:
            return find(cls, fullname, path, target)
        first = [entry for entry in sys.path if not is_agents(entry)]
        found = find(cls, fullname, first, target)
        if found is not None and (found.loader is not None or holds_modules(found)):
            return found
        if fullname in refused:
            return found
        return _copied(fullname, last) or find(cls, fullname, first + last, target)

    finder.find_spec = classmethod(find_spec)

    def find_distributions(*args, **kwargs):
        from importlib.metadata import MetadataPathFinder

        for found in MetadataPathFinder.find_distributions(*args, **kwargs):
            points = found.entry_points if is_agents(str(found.locate_file(""))) else ()
            if all(point.group.endswith("_scripts") for point in points):
                yield found

    finder.find_distributions = staticmethod(find_distributions)
    return read_folders


def _use_bytecode(bytecode):
    import _imp
    import sys

    external = sys.modules["_frozen_importlib_external"]
    find_code = external.SourceFileLoader.get_code
    magic = int.from_bytes(external.MAGIC_NUMBER, "little")

    def get_code(self, fullname):
        """The code of a file of the tests, compiled once for all trials (see `bytecode`); else as always."""
        if self.path.startswith("/tests/") and not sys.flags.optimize:
            compiled = bytecode + external.MAGIC_NUMBER.hex() + self.path[6:] + "c"
            try:
                data = self.get_data(compiled)
                external._classify_pyc(data, fullname, {})
                written = _imp.source_hash(magic, self.get_data(self.path))
                external._validate_hash_pyc(data, written, fullname, {})
                return external._compile_bytecode(
                    memoryview(data)[16:], name=fullname, bytecode_path=compiled, source_path=self.path
                )
            except (OSError, ImportError, EOFError, ValueError, TypeError):
                pass
        return find_code(self, fullname)

    external.SourceFileLoader.get_code = get_code
