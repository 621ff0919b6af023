"""An experiment on no server: real tuner, journal and session; what a window measures is acted.

The server is that of `tests/unit/tuning/fakes.py`. A window takes no time: it holds operations that
take `factor` times as long while the treatment is in force.
"""

import shutil
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np

from ldap_workbench.connect.directory import Entry
from ldap_workbench.experiment import measuring
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import COLUMNS, RARE, TYPES, Operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import CONFIG, LDBM, Clock, FakeDirectory, FakeShell, FakeTarget

START_NS = 1_795_161_600 * NS_PER_S
"""2026-11-20 08:00:00 UTC."""
LIMIT = "nsslapd-idlistscanlimit"
"""The knob under test: it takes effect immediately."""
LIMIT_5000 = f"{LIMIT}=5000"
THREADS_24 = "nsslapd-threadnumber=24"
"""In force after a restart."""
_PER_WINDOW = 300
_WINDOW_S = 10


class Directory(FakeDirectory):
    """A fake that shows all of its configuration to who looks for changes of others."""

    def search(self, base, *, scope="base", filter="", attributes=()):  # noqa: A002
        if "*" not in attributes:
            return super().search(base, scope=scope, filter=filter, attributes=attributes)
        self._check_link()
        return [
            Entry(dn, dict(values))
            for dn, values in self.entries.items()
            if dn == base or dn.endswith(f",{base}")
        ]


class Server(FakeTarget):
    """The target of an experiment. `gone` is a server that no new link reaches."""

    def __init__(self, restart_command=None):
        super().__init__(restart_command=restart_command)
        self.directory = Directory()
        self.shell = FakeShell(self.directory)
        self.gone = False
        self._ns = START_NS

    def now_ns(self):
        self._ns += NS_PER_S
        return self._ns

    def reconnect(self):
        if self.gone:
            raise ConnectError(Message("The fake is down."))
        super().reconnect()

    def another_shell(self):
        """There is no second link to the host: no mark is left on it."""

    @property
    def limit(self):
        return self.directory.entries[LDBM][LIMIT][0]

    @property
    def threads(self):
        """How many worker threads it was started with."""
        return int(self.directory.entries["cn=monitor"]["threads"][0]) - 1

    @property
    def treated(self):
        return self.limit == "5000" or self.threads == 24

    def set_by_another(self, attribute, value, dn=CONFIG):
        """Another administrator's change."""
        self.directory.entries[dn][attribute] = (value,)


@dataclass
class Measured:
    """How one window differs from a good one."""

    log: SourceState = SourceState.COMPLETE
    monitor: SourceState = SourceState.COMPLETE
    monitor_details: dict = field(default_factory=dict)
    err: int = 0
    etime: float = 1.0


class Windows:
    """Acts for `capture`. `during` maps the number of a window, in the order they are measured from
    1 on, to what happens in it: it may raise, and may return a Measured."""

    def __init__(self, factor):
        self.factor = factor
        self.busier = 1
        """How many times the operations there are while the treatment is in force."""
        self.during = {}
        self.measured = []
        """The name of each, and whether the treatment was in force."""

    def __call__(self, target, writer, plan, *, progress, cancel, on_live):
        self.measured.append((plan.name, target.treated))
        happens = self.during.get(len(self.measured))
        measured = (happens() if happens else None) or Measured()
        number, start = writer.next_id("capture_window"), target.now_ns()
        window = Window(number, plan.name, start, start + _WINDOW_S * NS_PER_S, arm=plan.arm,
                        pair=plan.pair, cancelled=bool(cancel))  # fmt: skip
        writer.put_window(window)
        log, monitor = writer.next_id("source"), writer.next_id("source")
        why = Message("acted")
        writer.put_source(
            Source(log, number, SourceKind.ACCESS_LOG, "access", measured.log, why=why)
        )
        details = measured.monitor_details
        writer.put_source(Source(monitor, number, SourceKind.MONITOR, "cn=monitor",
                                 measured.monitor, why=why, details=details))  # fmt: skip
        writer.add_operations(log, self._operations(window, measured, treated=target.treated))
        return window

    def _operations(self, window, measured, *, treated):
        n = _PER_WINDOW * (self.busier if treated else 1)
        random = np.random.default_rng(len(self.measured))
        etime = 2_000_000 * measured.etime * np.exp(random.normal(0, 0.3, n))
        etime *= self.factor if treated else 1
        columns = {name: np.full(n, RARE.get(name, 0), dtype) for name, dtype in COLUMNS.items()}
        columns["kind"][:] = TYPES.index("SRCH")
        columns["etime_ns"][:] = etime.astype(np.int64)
        columns["end_ns"][:] = window.start_ns + np.arange(1, n + 1) * (_WINDOW_S * NS_PER_S // n)
        columns["end_ns"][:] -= 1
        columns["op"][:] = np.arange(n)
        columns["err"][:] = measured.err
        return Operations(**columns)


class Writer(SessionWriter):
    """Remembers the states that were stored, in their order. `full` is a disk without room."""

    states: list
    full = False

    def put_experiment(self, experiment):
        if self.full:
            raise OSError(28, "No space left on device")
        if not self.states or self.states[-1] is not experiment.state:
            self.states.append(experiment.state)
        super().put_experiment(experiment)


class Stage:
    """A server, a journal and a session file, for one experiment or for its resumption."""

    def __init__(self, folder, *, factor=1.0, restart_command=None):
        self.folder = folder
        self.server = Server(restart_command)
        self.journal = Journal()
        self.tuner = Tuner(self.server, self.journal)
        self.windows = Windows(factor)
        self.path = folder / "s.ldapwb"
        self.states = []
        self.said = []
        self.run_ = None
        self.writer = None

    def close(self):
        self.tuner.close()
        self.journal.close()

    def plan(self, setting=LIMIT_5000, design="ab", **options):
        catalogue = self.tuner.catalogue
        treatment = catalogue.treatment([setting], self.server.facts) if setting else Treatment(())
        how = {"then": Then.REVERT, "primary": "p50", "patience_s": 2.0} | options
        return make_plan(treatment, parse_design(design), window_s=_WINDOW_S, seed=1, settle_s=0,
                         **how)  # fmt: skip

    def run(self, plan=None, *, on_text=None, resume_from=None, **how):
        """Run to the end; `on_text` maps words of the progress to what happens at the first of
        them. Returns the experiment; raises what the run raises, and then `experiment` has it."""
        happens = dict(on_text or {})

        def hear(report):
            self.said.append(str(report.text))
            for words in [words for words in happens if words in self.said[-1]]:
                happens.pop(words)()

        open_it = Writer.append if resume_from else Writer.create
        arguments = (self.path,) if resume_from else (self.path, self.server.facts)
        with open_it(*arguments) as self.writer:
            self.writer.states = self.states
            plan = resume_from.plan if resume_from else plan or self.plan()
            self.run_ = ExperimentRun(self.server, self.tuner, self.writer, plan, progress=hear,
                                      resume_from=resume_from, **how)  # fmt: skip
            return self.run_.run()

    def fails(self, *arguments, **how):
        """The error of a run that ends early."""
        try:
            self.run(*arguments, **how)
        except BaseException as error:  # noqa: BLE001 - whatever it is, a test looks at it
            return error
        raise AssertionError("it went through")

    @property
    def experiment(self):
        return self.run_.experiment

    @property
    def open_changes(self):
        return self.tuner.open_changes()

    def stored(self):
        """The experiment as the file has it."""
        with Session.open(self.path) as session:
            return session.experiments()[-1]

    def windows_stored(self):
        with Session.open(self.path) as session:
            return session.windows()

    def marks(self):
        with Session.open(self.path) as session:
            return [mark.kind for mark in session.marks()]

    def copy_to(self, folder):
        """What is on the disks now, here and of the server: as kill -9 at this moment leaves it."""
        folder.mkdir()
        for path in self.folder.glob("s.ldapwb*"):
            shutil.copy(path, folder / path.name)
        shutil.copytree(self.folder / "state", folder / "state")
        return deepcopy(self.server.directory.entries)


def stage_in(folder, monkeypatch, stack, *, entries=None, **how):
    """A stage whose files are all in a folder, closed with the stack."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(folder))
    stage = Stage(folder, **how)
    stack.callback(stage.close)
    if entries is not None:
        stage.server.directory.entries = entries
    monkeypatch.setattr(measuring, "capture", stage.windows)
    monkeypatch.setattr(import_module("ldap_workbench.tuning.link"), "time", Clock())
    return stage
