"""Look-up methods that the parts of `Mechanism` share: declared here for type checkers, defined in `Mechanism`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container

    from cotree.model.mechanism import Body, Connection


class LookUps:
    """Names, bodies and joints of the mechanism."""

    if TYPE_CHECKING:

        def _new_name(self, name: Any, what: str, *taken: Container[str]) -> None: ...
        def _new_force(self, name: str, what: str) -> str: ...
        def _body(self, body: Body | str, who: str) -> Body: ...
        def _connection(self, joint: Connection | str, who: str) -> Connection: ...
        @staticmethod
        def _check_coordinate(connection: Connection, coordinate: str | None, who: str, error: Any) -> None: ...
