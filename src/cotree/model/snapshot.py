"""Copies of a mechanism, and the frozen copy that a system keeps."""

from __future__ import annotations

import copy
from typing import Any, NoReturn, Self

import numpy as np

from cotree.errors import ModelError
from cotree.model.checks import fixed
from cotree.model.functions import require_picklable

_FLAG = "of a system"  # among the attributes of a mechanism that cannot be changed


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise ModelError(
        "this mechanism is the copy that a system keeps as it was compiled, and cannot be changed; change the mechanism you "
        "compiled, or copy.copy(system.mechanism), and compile again"
    )


class _KeptDict(dict[Any, Any]):
    """A read-only dict; copies can be changed."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class _KeptList(list[Any]):
    """A read-only list; copies can be changed."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = clear = extend = insert = pop = remove = _refuse
    reverse = sort = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class Snapshots:
    """Copying of mechanisms: dicts and lists are copied; the descriptions in them are immutable and shared."""

    def snapshot(self) -> Self:
        """Copy the mechanism frozen, as a `System` keeps it.

        Returns
        -------
        Mechanism
            The copy; itself if already frozen.

        Examples
        --------
        >>> frozen = ct.gallery.four_bar().snapshot()
        >>> frozen.snapshot() is frozen
        True
        """
        return self if self._fixed else copy.copy(self).keep()

    def keep(self) -> Self:
        """Freeze the mechanism, so that it can no longer be changed.

        Returns
        -------
        Mechanism
            The mechanism itself.

        Examples
        --------
        >>> ct.gallery.four_bar().keep().name
        'four-bar'
        """
        if not self._fixed:
            vars(self).update({name: _kept(value) for name, value in vars(self).items()}, **{_FLAG: True})
        return self

    @property
    def _fixed(self) -> bool:
        return _FLAG in vars(self)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._fixed:
            _refuse()
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != _FLAG}

    def __copy__(self) -> Self:
        new = type(self).__new__(type(self))
        vars(new).update({name: _copied(value) for name, value in self.__getstate__().items()})
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo[id(self)] = new = copy.copy(self)
        vars(new).update({name: copy.deepcopy(value, memo) for name, value in vars(new).items()})
        return new

    def __reduce_ex__(self, protocol: Any) -> Any:
        require_picklable(self)
        return super().__reduce_ex__(protocol)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, list):
        return list(value)
    return value.copy() if isinstance(value, np.ndarray) else value


def _kept(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return fixed(value)
    if isinstance(value, dict):
        return _KeptDict(value)
    return _KeptList(value) if isinstance(value, list) else value
