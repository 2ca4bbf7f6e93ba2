"""Copies of a mechanism, and the copy that a system keeps: the mechanism as it was compiled."""

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
        "this mechanism belongs to a system, as it was compiled, and cannot be changed; change the mechanism that you "
        "compiled, or copy.copy(system.mechanism), and compile again"
    )


class _KeptDict(dict[Any, Any]):
    """A dict that stays as it is; copies can be changed."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class _KeptList(list[Any]):
    """A list that stays as it is; copies can be changed."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = clear = extend = insert = pop = remove = _refuse
    reverse = sort = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class Snapshots:
    """How a mechanism is copied: its dicts and lists are, the descriptions in them cannot change and are shared."""

    def snapshot(self) -> Self:
        """A copy that cannot be changed; itself where it cannot."""
        return self if self._fixed else copy.copy(self).keep()

    def keep(self) -> Self:
        """Make sure that it cannot be changed from now on."""
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
