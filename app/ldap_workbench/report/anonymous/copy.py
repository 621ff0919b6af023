"""A session into another file, with pseudonyms in place of names."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import COLUMNS, RARE, Operations
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.window import Sample, Source, SourceKind
from ldap_workbench.report.anonymous.nouns import Nouns
from ldap_workbench.report.anonymous.pseudonyms import KEY_BYTES, Pseudonyms
from ldap_workbench.report.anonymous.texts import Texts
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

KEPT_COLUMNS = frozenset((
    "end_ns", "etime_ns", "wtime_ns", "optime_ns", "kind", "internal", "own", "err", "nentries",
    "notes", "boot", "conn", "op", "internal_op", "nesting", "client", "fingerprint", "base",
    "bind_dn", "request_at", "result_at", "wqtime_ns", "writetime_ns", "index_ns", "index_ids",
    "opened_ns", "closed_ns", "index_key", "wbusy", "wmax", "wqdepth", "deref", "vlv",
))  # fmt: skip
"""Columns of `operation` that are copied as they are: numbers, and ids of strings. A new one is
left out until it stands here."""
REWRITTEN = frozenset((
    "string.value", "series.name", "raw.body", "capture_window.body", "source.body", "mark.body",
    "experiment.body", "change.body", "meta.value",
))  # fmt: skip
"""Columns of other tables that hold text: rewritten with pseudonyms."""
KEPT_META = frozenset(("schema", "written_by"))
_OF_OTHERS = ("prometheus:", "pcp:")
_OF_CODE = (SourceKind.STACKS, SourceKind.HISTOGRAM)
_OF_SENTENCES = (SourceKind.ACCESS_LOG, SourceKind.ERROR_LOG, SourceKind.AUDIT_LOG)
"""Their text is requests and free text; that of others is tables of measurements and settings."""
_INDEX_KEY = re.compile(r"([A-Za-z][\w.;-]*) key\((\w{1,10})\)")
_PIECE = 4 << 20
_ROWS = 1 << 20


def anonymise(
    source: str | Path,
    output: str | Path,
    key: bytes | None = None,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> None:
    """Write a copy of a session in which no name, DN, value or address is as it was.

    `key`: with the same one two sessions get the same pseudonyms; without one it is random and
    forgotten. Where it is cancelled or fails no file is left. Raises SessionError, CancelledError.
    """
    cancel = cancel if cancel is not None else Cancel()
    pseudonyms = Pseudonyms(key or secrets.token_bytes(KEY_BYTES))
    with Session.open(source) as session:
        writer = SessionWriter.create(output)
        try:
            with writer:
                _Copy(session, writer, pseudonyms, progress, cancel).write()
        except BaseException:
            with suppress(OSError):
                Path(output).unlink()
            raise


class _Copy:
    def __init__(
        self,
        session: Session,
        writer: SessionWriter,
        pseudonyms: Pseudonyms,
        progress: OnProgress,
        cancel: Cancel,
    ) -> None:
        self._session, self._writer = session, writer
        self._texts = Texts(pseudonyms)
        self._tables = Texts(pseudonyms, of_numbers=True)
        self._code = Texts(pseudonyms, of_code=True, of_numbers=True)
        self._nouns = Nouns(self._tables)
        self._progress, self._cancel = progress, cancel

    def write(self) -> None:
        session, writer = self._session, self._writer
        if facts := session.facts:
            writer.set_facts(self._nouns.noun(facts))
        for window in session.windows():
            writer.put_window(self._nouns.noun(window))
        sources = session.sources()
        for number, source in enumerate(sources):
            self._tell(source, number / len(sources))
            is_code = source.kind in _OF_CODE
            writer.put_source(Nouns(self._code if is_code else self._tables).noun(source))
            self._operations(source.id)
            self._samples(source.id)
            self._raw(source.id, self._texts_of(source.kind))
        for mark in session.marks():
            writer.add_mark(self._nouns.noun(mark))
        for experiment in session.experiments():
            writer.put_experiment(self._nouns.noun(experiment))
        for change in session.changes():
            writer.put_change(self._nouns.noun(change))

    def _texts_of(self, kind: SourceKind) -> Texts:
        if kind in _OF_CODE:
            return self._code
        return self._texts if kind in _OF_SENTENCES else self._tables

    def _tell(self, source: Source, fraction: float) -> None:
        self._cancel.check()
        self._progress(
            Progress(Message("Replacing names in {source}", source=source.name), fraction)
        )

    def _operations(self, source: int) -> None:
        """Rows in the order of the file, those outside every window too."""
        strings = self._session.strings(source)
        tables: dict[str, Any] = {
            "clients": tuple(map(self._texts.text, strings["clients"])),
            "fingerprints": tuple(map(self._texts.text, strings["fingerprints"])),
            "bases": tuple(map(self._texts.text, strings["bases"])),
            "bind_dns": tuple(map(self._bind_dn, strings["bind_dns"])),
            "index_keys": tuple(map(self._index_key, strings["index_keys"])),
        }
        if tables.keys() != strings.keys():
            raise AssertionError(strings.keys() - tables.keys())
        for columns in self._columns(source):
            self._writer.add_operations(source, Operations(**columns, **tables))

    def _index_key(self, text: str) -> str:
        """'mail key(eq), cn key(sub)': attributes are what they are in filters."""
        keys = [_INDEX_KEY.fullmatch(key) for key in text.split(", ")]
        if not all(keys):
            return self._texts.name(text)
        names = (self._texts.text(f"({key[1]}=?)")[1:-3] for key in keys if key)
        return ", ".join(
            f"{name} key({key[2]})" for name, key in zip(names, keys, strict=True) if key
        )

    def _columns(self, source: int) -> Iterator[dict[str, Any]]:
        names = [name for name in COLUMNS if name in KEPT_COLUMNS]
        [(last,)] = self._session.rows("SELECT coalesce(max(rowid), -1) FROM operation")
        for first in range(0, last + 1, _ROWS):
            self._cancel.check()
            query = (
                f"SELECT {self._session.selected(names)} FROM operation "  # noqa: S608 - our own
                "WHERE source = ? AND rowid >= ? AND rowid < ? ORDER BY rowid"
            )
            columns = self._session.columns(query, [source, first, first + _ROWS], names)
            size = len(columns["end_ns"])
            if size:
                left_out = {
                    name: np.full(size, RARE.get(name, 0), dtype)
                    for name, dtype in COLUMNS.items()
                    if name not in KEPT_COLUMNS
                }
                yield {name: columns[name] for name in names} | left_out

    def _bind_dn(self, dn: str) -> str:
        return self._texts.text(dn) if "=" in dn else self._texts.name(dn)

    def _samples(self, source: int) -> None:
        query = (
            "SELECT series.name AS name, time_ns, coalesce(value, 'nan'::DOUBLE) AS value "
            "FROM sample JOIN series ON series.id = sample.series WHERE source = ? "
            "ORDER BY sample.rowid"
        )
        columns = self._session.arrays(query, [source])
        names = {name: self.series(name) for name in set(columns["name"])}
        rows = zip(
            columns["name"], columns["time_ns"].tolist(), columns["value"].tolist(), strict=True
        )
        samples = [Sample(time_ns, names[name], value) for name, time_ns, value in rows]
        self._writer.add_samples(source, samples)

    def series(self, name: str) -> str:
        """What is sampled and the column of it stay; between them stands of what.

        Names of Prometheus and PCP end in labels or instances: nothing of them stays as it is.
        """
        if name.startswith(_OF_OTHERS):
            return self._texts.text(name)
        before, colon, column = name.rpartition(":")
        column, bracket, of_what = column.partition("[")
        return self._texts.text(before) + colon + column + bracket + self._texts.text(of_what)

    def _raw(self, source: int, texts: Texts) -> None:
        """The text behind the rows; lines keep their places."""
        at, carry = 0, b""
        while piece := self._session.raw(source, at, _PIECE):
            self._cancel.check()
            at += len(piece)
            *lines, carry = (carry + piece).split(b"\n")
            if lines:
                self._writer.add_raw(source, b"".join(texts.line(line) + b"\n" for line in lines))
        self._writer.add_raw(source, texts.line(carry))
