"""Runs inside a warm trial, after everything else of the verifier; never imported here.

When Python ends it takes every module and object apart. In a fork of the server each of them lies in a page
that has to be copied for that, though the kernel takes all memory back anyway. What anybody can see of it:
the standard streams are written out, and objects that were made since the fork may do something when they go.
If there is no such object, the process ends here, with Python's own exit code; if that is not known, Python
ends by itself, without taking apart what the server had imported. Any doubt is Python's ordinary end, with
everything in it that the server had set aside.

Invariants:
- It is the first exit function that is registered, so the last that is called: the verifier's own have run,
  and threads that Python waits for have ended. A call from anywhere else has a caller, and does nothing.
- The code is known. Python takes `__file__` out of `__main__` when a script has run to its end, and leaves it
  there when a `SystemExit` ends it; a script that an exception ended has left `sys.last_type`.
- Objects of the server's are set aside (`gc.freeze`), so all that the cycle collector knows are the trial's.
  Every object with a finalizer is one that it knows, or its class is. Those that were set aside come back
  before an ordinary end: the verifier's globals, which are older than the fork, would else count as in use.

It must work in every Python 3.8 or newer.
"""

# mypy: ignore-errors

import _io
import _thread
import _warnings
import _weakref
import atexit
import gc
import posix
import sys

FILES = (_io.FileIO, _io.BufferedReader, _io.BufferedWriter, _io.BufferedRandom, _io.TextIOWrapper)
NO_FILES = (_io.BytesIO, _io.StringIO)
MODULE = type(sys)
WRITTEN = (".py", "frozen")
"""How the origin of a module ends that is no compiled library."""
_PLAIN_LIBRARIES = """
_abc _ast _bisect _blake2 _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr
_codecs_tw _collections _contextvars _csv _datetime _decimal _elementtree _functools _hashlib _heapq _imp
_io _json _locale _lzma _md5 _multibytecodec _opcode _operator _pickle _posixsubprocess _queue _random _sha1
_sha2 _sha256 _sha3 _sha512 _signal _socket _sre _stat _statistics _string _struct _symtable _thread
_tokenize _typing _uuid _warnings _weakref _zoneinfo array atexit binascii cmath errno fcntl grp itertools
marshal math posix pwd pyexpat resource select termios time unicodedata zlib
"""
PLAIN_LIBRARIES = frozenset(_PLAIN_LIBRARIES.split())
"""Compiled modules whose objects do nothing when they go, or say so by `__del__`."""
STAYING = frozenset({"__main__", "builtins", "sys"})
"""Modules that Python takes apart by themselves."""
OWN_CALLBACKS = ("weakref", "_weakrefset")
"""Modules whose weak references only tidy up their own tables."""

dict_of = type.__dict__["__dict__"].__get__
mro_of = type.__dict__["__mro__"].__get__


def arrange():
    """Register; what is returned has to be called in the verifier's process, before its first line.

    None if something else was registered before, which would run later.
    """
    if atexit._ncallbacks() or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    known, kept = {}, []
    kept.append(kept)  # which is set aside with all the rest: nothing takes it, or what it holds, apart

    def end():
        if not known or sys._getframe().f_back is not None:
            return
        try:
            if nothing_is_left(known):
                for stream in (known["stdout"], known["stderr"]):
                    if not stream.closed:
                        stream.flush()
                if ended_by_itself(known):
                    posix._exit(0)
                kept.append(dict(sys.modules))
                for name in known["modules"] - STAYING:
                    sys.modules.pop(name, None)
                return
        except BaseException:  # noqa: S110 - Python's own end says what is wrong
            pass
        known.clear()  # objects go in another order if somebody holds `__main__`
        gc.unfreeze()

    def begin():
        known.update(
            pid=posix.getpid(),
            main=sys.modules["__main__"],
            stdout=sys.stdout,
            stderr=sys.stderr,
            filters=tuple(_warnings.filters),
            modules=frozenset(sys.modules),
        )

    atexit.register(end)
    return begin


def ended_by_itself(known):
    """Has the script run to its end, so that Python's code is 0 unless a stream cannot be written out?"""
    names = known["main"].__dict__
    if sys.modules.get("__main__") is not known["main"] or "__file__" in names or "__cached__" in names:
        return False
    return not (hasattr(sys, "last_type") or hasattr(sys, "last_value") or hasattr(sys, "last_exc"))


def nothing_is_left(known):
    """Has Python's own end nothing to do that could be seen, but for its code and the streams?"""
    if posix.getpid() != known["pid"] or _thread._count():
        return False
    for name in ("stdout", "stderr"):
        if not (known[name] is getattr(sys, name) is getattr(sys, f"__{name}__")):
            return False
    if "gc" in sys.modules or tuple(_warnings.filters) != known["filters"]:
        return False
    for name in sys.modules.keys() - known["modules"]:
        if not is_plain(name, sys.modules[name]):
            return False
    return not has_finalizers(gc.get_objects())


def is_plain(name, module):
    """Is a module no compiled one, or one that is known?"""
    if type(module) is not MODULE:
        return False
    spec = module.__dict__.get("__spec__")
    if spec is None or name in PLAIN_LIBRARIES:
        return True
    if spec.origin is None:
        return spec.submodule_search_locations is not None  # a folder of modules
    return spec.origin.endswith(WRITTEN)


def has_finalizers(objects):
    """Is there an object that may do something when it goes?"""
    looked_at = frozenset(filter(may_have_an_end, set(map(type, objects))))
    return bool(looked_at) and any(type(one) in looked_at and has_an_end(one) for one in objects)


def may_have_an_end(kind):
    """Are objects of a class such that each has to be asked?"""
    if issubclass(kind, (type, _weakref.ReferenceType)):
        return True
    if kind not in NO_FILES:
        for base in mro_of(kind):
            if "__del__" in dict_of(base):
                return True
    return False


def has_an_end(one):
    if issubclass(type(one), type):
        return "__del__" in dict_of(one)  # its objects may be such as the collector does not know
    if issubclass(type(one), _weakref.ReferenceType):
        return not only_tidies(one)
    return type(one) not in FILES or not one.closed


def only_tidies(reference):
    """Does a weak reference call nothing, or nothing of the verifier's?"""
    callback = _weakref.ReferenceType.__callback__.__get__(reference)
    if callback is None:
        return True
    if type(callback) is type(len):
        return callback.__name__ == "_destroy"  # of abstract base classes
    return type(callback) is type(is_plain) and callback.__module__ in OWN_CALLBACKS
