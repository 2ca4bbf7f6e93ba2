"""Compiled code on disk, the only file that knows how Numba stores it.

Stored code is found by the name of its function and by a digest of everything it was made from (`dependencies`), so that a
changed line recompiles what reaches it and nothing else. Each file carries a check sum: a damaged file counts as missing
and is written anew. Code that came with the package is used where none was stored (`packaged`). Where nothing can be written,
everything works and is compiled in each process; that is said once.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys

from cotree.engine import claims, packaged
from cotree.engine.dependencies import digest_of
from cotree.engine.plain_numba import PLAIN
from cotree.engine.signals import deliver
from cotree.errors import CacheWarning

if PLAIN:
    FORMAT, unpickled = "plain", pickle.loads
else:
    from cotree.engine.stored import FORMAT, rebuilt, reduced, unpickled  # type: ignore[assignment]

SUM = 16  # bytes of the check sum


def keep_on_disk(compiled: Any, function: FunctionType, options: dict[str, Any]) -> None:
    """Let a function that is compiled with these options store its code and find it again."""
    compiled._cache = cache_of(function, options)


def cache_of(function: FunctionType, options: dict[str, Any]) -> Any:
    """Where a function's code is stored."""
    if PLAIN:
        return _plain_cache(function, options)
    try:
        return _Cache(function, options)
    except RuntimeError:  # Numba has found no directory that it may write into
        _cannot_store(Path(function.__code__.co_filename).parent, "no directory is writable")
        return _NoStore(function, options)


def lacks(cache: Any, signature: Any) -> bool:
    """Whether code for a signature is not there, though it could be stored."""
    return isinstance(cache, _Cache) and not cache.has(signature)


def is_compiled_elsewhere(cache: Any, signature: Any) -> bool:
    """Whether another process is at work on the code for a signature."""
    return isinstance(cache, _Cache) and claims.taken(cache.claim_for(signature))


def give_up(cache: Any) -> None:
    """Let others compile what this process has claimed and not stored."""
    if isinstance(cache, _Cache):
        cache.give_back()


class _File(IndexDataCacheFile):
    """Index and code files of a function, with check sums, stamped by what the code depends on."""

    def __init__(self, function: FunctionType, options: dict[str, Any], cache_path: str, name: str) -> None:
        self.function, self.options, self.base = function, options, name
        super().__init__(cache_path, name, "")

    @cached_property
    def stamp(self) -> str:
        return digest_of(self.function, self.options) + FORMAT  # late: callees may be defined below the function

    @property
    def _source_stamp(self) -> str:
        return self.stamp

    @_source_stamp.setter
    def _source_stamp(self, value: str) -> None:
        pass

    def load(self, key: Any) -> Any:
        name = self._load_index().get(key)
        data = None if name is None else without_sum(Path(self._data_path(name)))
        return None if data is None else _unpickled(data)

    def save(self, key: Any, data: Any) -> None:
        """Store code under a name of its own: processes that store at the same time never write to the same file."""
        overloads, name = self._load_index(), self._name_of(key)
        self._save_data(name, data)
        self._save_index({**overloads, key: name})
        if not overloads:
            self._remove_others(name)

    def _name_of(self, key: Any) -> str:
        signature, *rest = key
        digest = blake2b(repr((str(signature), rest, self.stamp)).encode(), digest_size=6)
        return f"{self.base}.{digest.hexdigest()}.nbc"

    def _remove_others(self, name: str) -> None:
        """Remove code that was stored from other sources."""
        for path in Path(self._cache_path).glob(f"{self.base}.*.nbc"):
            if path.name != name and path.is_file():
                with suppress(OSError):  # another process has removed it, or may not be disturbed
                    path.unlink()

    def _load_index(self) -> Any:
        data = without_sum(Path(self._index_path))
        version, stamp, overloads = (data and _unpickled(data)) or (None, None, {})
        return overloads if (version, stamp) == (self._version, self.stamp) else {}

    def _save_index(self, overloads: Any) -> None:
        with self._open_for_write(self._index_path) as file:
            file.write(with_sum(self._dump((self._version, self.stamp, overloads))))

    def _save_data(self, name: str, data: Any) -> None:
        with self._open_for_write(self._data_path(name)) as file:
            file.write(with_sum(self._dump(data)))


class _ReadyMade:
    """Code of a function that came with the package."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self._py_func, self.file = function, _File(function, options, str(packaged.FOLDER), _base(function))

    def key(self, signature: Any) -> Any:
        """What the code for a signature is stored under; None where there is none that fits."""
        magic = packaged.made_for(packaged.FOLDER)
        return None if magic is None else key_of(signature, magic)

    def load(self, signature: Any, target_context: Any) -> Any:
        key = self.key(signature)
        data = None if key is None else self.file.load(key)
        return None if data is None else rebuilt(target_context, data)

    def has(self, signature: Any) -> bool:
        key = self.key(signature)
        return key is not None and key in self.file._load_index()


class _NoStore(NullCache):
    """Nothing can be stored."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        self.ready = _ReadyMade(function, options)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        return self.ready.load(sig, target_context)


class _Cache(FunctionCache):
    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        super().__init__(function)
        self._impl.rebuild, self._impl.reduce = rebuilt, reduced
        self.ready = _ReadyMade(function, options)
        self._cache_file: Any = _File(function, options, self._cache_path, _base(function))
        self.claimed: str | None = None  # name under which no other process compiles now
        self._seen: set[Any] = set()  # signatures that code was found for

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Stored code, also what another process is about to store; without it, the caller compiles, and only the caller.
        Numba would load all that it needs to compile first, SciPy's linear algebra too, which takes longer than everything
        else; stored code needs its memory manager only."""
        rtsys.initialize(target_context)
        found = self._stored(sig, target_context)
        if found is None:
            self.claimed = self.claim_for(sig)
            claims.wait_for(self.claimed, deliver)
            found = self._stored(
                sig, target_context
            )  # another process may have stored it before this one had the claim
            if found is not None:
                self.give_back()
        return found

    def _stored(self, sig: Any, target_context: Any) -> Any:
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
            return self.ready.load(sig, target_context) if found is None else found

    def claim_for(self, signature: Any) -> str:
        """What processes that would compile the same code claim."""
        key = self._index_key(signature, cpu_target.target_context.codegen())
        return str(Path(self._cache_path) / self._cache_file._name_of(key))

    def give_back(self) -> None:
        if self.claimed is not None:
            name, self.claimed = self.claimed, None
            claims.give_back(name)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return key_of(sig, codegen.magic_tuple())

    def has(self, signature: Any) -> bool:
        """Whether there is code for a signature, by the index; that there is some is asked for once."""
        if signature in self._seen:
            return True
        key = self._index_key(signature, cpu_target.target_context.codegen())
        if key in self._cache_file._load_index() or self.ready.has(signature):
            self._seen.add(signature)
        return signature in self._seen

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _cannot_store(Path(self._cache_path), error.strerror or str(error))
        finally:
            self.give_back()


class _PlainCache(FunctionCache):
    """Code as Numba stores it, found by its digest. What goes wrong in a version that is not known costs only time."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        super().__init__(function)
        self._cache_file: Any = _File(function, options, self._cache_path, "plain." + _base(function))

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return key_of(sig, codegen.magic_tuple())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:
            _cannot_store(Path(self._cache_path), str(error))

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            _cannot_store(Path(self._cache_path), str(error))


def _plain_cache(function: FunctionType, options: dict[str, Any]) -> Any:
    try:
        return _PlainCache(function, options)
    except Exception as error:
        _cannot_store(Path(function.__code__.co_filename).parent, str(error))
        return NullCache()


def key_of(signature: Any, magic: Any) -> Any:
    """What code is stored under: argument types and processor. The stamp knows the rest, with closures, which Numba would
    pickle into the key and so never find again."""
    return signature, magic


def _base(function: FunctionType) -> str:
    """Name of a function's files, without what follows from what is in them."""
    name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
    return f"{name}.py{sys.version_info[0]}{sys.version_info[1]}"


def with_sum(data: bytes) -> bytes:
    """Data behind its check sum."""
    return blake2b(data, digest_size=SUM).digest() + data


def _unpickled(data: bytes) -> Any:
    """What was stored; None where it names types that another version of the package had."""
    try:
        return unpickled(data)
    except (ImportError, AttributeError):
        return None


def without_sum(path: Path) -> bytes | None:
    """Contents of a file without its check sum; None where it is missing or damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data[SUM:] if with_sum(data[SUM:])[:SUM] == data[:SUM] else None


_told: set[str] = set()


def _cannot_store(directory: Path, why: str) -> None:
    if "told" not in _told:
        _told.add("told")
        text = f"compiled code cannot be cached in {directory} ({why}), so every process compiles again; "
        warnings.warn(text + "set NUMBA_CACHE_DIR to a writable directory", CacheWarning, stacklevel=3)
