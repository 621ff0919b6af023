"""A server that takes connections and does not answer."""

from __future__ import annotations

from typing import NoReturn

from ldap_workbench.model.errors import NoAnswerError


class UnansweringDirectory:
    """A Directory of which every question fails at once, for each would wait as long again."""

    def __init__(self, url: str, why: NoAnswerError) -> None:
        self.url = url
        self.why = why

    def _fail(self, *_: object, **__: object) -> NoReturn:
        raise NoAnswerError(self.why.what, safe=self.why.safe, remedy=self.why.remedy)

    search = replace = add = delete = children = _fail

    def close(self) -> None: ...
