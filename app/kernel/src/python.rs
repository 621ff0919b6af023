//! What Python sees of the kernel: a scanner, and columns that numpy takes without a copy.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyBufferError, PyIndexError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::columns::{Rows, Spare, MIDDLE, NARROW, RARE_MIDDLE, RARE_NARROW, RARE_WIDE, WIDE};
use crate::grammar::{kind, NOTES, WITH_VLV};
use crate::line::{ABSENT, REASONS};
use crate::scan::{Lacking, TABLES};
use crate::tables::Connection;
use crate::{Class, Feed, Field, Grammar, Meaning, Months, Scan, Style, Unit};

/// Numbers of one width, as a read-only buffer of bytes.
#[pyclass(frozen)]
struct Column {
    numbers: Numbers,
    /// Where they go when Python needs them no more.
    spare: Option<Arc<Mutex<Spare>>>,
}

/// Spare columns of one width that are kept: those of two feeds.
const MOST_SPARE: usize = 2 * MIDDLE.len();

fn keep<T>(spare: &mut Vec<Vec<T>>, numbers: Vec<T>) {
    if spare.len() < MOST_SPARE {
        spare.push(numbers);
    }
}

impl Drop for Column {
    fn drop(&mut self) {
        let Some(spare) = &self.spare else { return };
        let mut spare = spare.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut self.numbers, Numbers::Narrow(Vec::new())) {
            Numbers::Wide(numbers) => keep(&mut spare.wide, numbers),
            Numbers::Middle(numbers) => keep(&mut spare.middle, numbers),
            Numbers::Narrow(numbers) => keep(&mut spare.narrow, numbers),
        }
    }
}

impl Numbers {
    fn column(self) -> Column {
        Column { numbers: self, spare: None }
    }
}

enum Numbers {
    Wide(Vec<i64>),
    Middle(Vec<i32>),
    Narrow(Vec<u8>),
}

#[pymethods]
impl Column {
    #[allow(unsafe_code)] // the buffer protocol has no safe form
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let (start, size) = match &slf.get().numbers {
            Numbers::Wide(numbers) => (numbers.as_ptr().cast(), size_of_val(numbers.as_slice())),
            Numbers::Middle(numbers) => (numbers.as_ptr().cast(), size_of_val(numbers.as_slice())),
            Numbers::Narrow(numbers) => (numbers.as_ptr().cast(), numbers.len()),
        };
        let start: *const c_void = start;
        let size = ffi::Py_ssize_t::try_from(size)
            .map_err(|_| PyBufferError::new_err("too many numbers"))?;
        // SAFETY: `view` is Python's to fill. The numbers stay where they are for as long as the
        // column lives: it is frozen, and the view holds a reference to it.
        let done =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast_mut(), size, 1, flags) };
        if done == 0 {
            Ok(())
        } else {
            Err(PyErr::fetch(slf.py()))
        }
    }
}

/// What a scan counts, as it is now.
#[pyclass(frozen, get_all)]
struct Statistics {
    understood: u64,
    set_aside: u64,
    unknown: u64,
    reasons: Vec<(&'static str, u64)>,
    first_time: Option<i64>,
    last_time: Option<i64>,
    steps_back: u64,
    clock_changes: u64,
    open_operations: usize,
    orphans: u64,
    combined: u64,
    between_lines: u64,
    whole_seconds: u64,
    quantised: u64,
    microseconds: u64,
    nanoseconds: u64,
    finished: u64,
    smallest: i64,
    newest_boot: i64,
    processes: usize,
    pids: Vec<i64>,
    returns: u64,
    lacks_zone: bool,
    lacks_year: bool,
    lacks_time: bool,
    zone_ns: i64,
    own: Vec<(i64, i64)>,
}

/// A scanner of one log.
#[pyclass(frozen)]
struct Kernel(Mutex<Feed>, Arc<Mutex<Spare>>);

impl Kernel {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Feed> {
        self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Scan without the GIL, and hand out the rows.
    fn scan(&self, py: Python<'_>, work: impl FnOnce(&mut Feed) + Send) -> Rows {
        py.detach(|| {
            let mut feed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            feed.scan.rows.reuse(&mut self.1.lock().unwrap_or_else(PoisonError::into_inner));
            work(&mut feed);
            std::mem::take(&mut feed.scan.rows)
        })
    }
}

type Words = Vec<(String, String, i32)>;

fn unknown(what: &str, name: &str) -> PyErr {
    PyValueError::new_err(format!("no {what} is called '{name}'"))
}

fn meanings(words: Words) -> PyResult<Vec<(String, Meaning)>> {
    let meaning = |(text, name, kind): (String, String, i32)| {
        let class = Class::named(&name).ok_or_else(|| unknown("class of lines", &name))?;
        Ok((text, Meaning { class, kind }))
    };
    words.into_iter().map(meaning).collect()
}

fn fields(keys: Vec<(String, String)>) -> PyResult<Vec<(String, Field)>> {
    let field = |(text, name): (String, String)| {
        let field = Field::named(&name).ok_or_else(|| unknown("field", &name))?;
        Ok((text, field))
    };
    keys.into_iter().map(field).collect()
}

#[pymethods]
impl Kernel {
    #[new]
    #[pyo3(signature = (*, style, unit, depth, words, operations, keys, months, nonces, offset,
                        year, zone_ns, undated_ns, keep_closed))]
    #[allow(clippy::too_many_arguments)] // by name, and only here
    fn new(
        style: &str,
        unit: &str,
        depth: i64,
        words: Words,
        operations: Words,
        keys: Vec<(String, String)>,
        months: Vec<(String, i64)>,
        nonces: Vec<Vec<u8>>,
        offset: i64,
        year: i64,
        zone_ns: i64,
        undated_ns: Option<i64>,
        keep_closed: i64,
    ) -> PyResult<Self> {
        let grammar = Grammar::new(
            &meanings(words)?,
            &meanings(operations)?,
            &fields(keys)?,
            Months::new(months.iter().map(|(name, month)| (name.as_str(), *month))),
            Unit::named(unit).ok_or_else(|| unknown("unit", unit))?,
            depth,
        );
        let grammar = grammar.ok_or_else(|| PyValueError::new_err("too many words or keys"))?;
        let style = Style::named(style).ok_or_else(|| unknown("style", style))?;
        let mut scan = Scan::new(grammar, style, nonces, keep_closed);
        scan.undated = undated_ns.unwrap_or(ABSENT);
        scan.begin_file(year, zone_ns);
        Ok(Self(Mutex::new(Feed::new(scan, offset)), Arc::default()))
    }

    /// The next line begins another file.
    fn begin_file(&self, py: Python<'_>, year: i64, zone_ns: i64) {
        self.lock(py).scan.begin_file(year, zone_ns);
    }

    /// The columns of the operations that end in this piece, and those that few of them have:
    /// of these, first the numbers of their rows.
    fn feed<'py>(&self, py: Python<'py>, data: &[u8]) -> PyResult<Columns<'py>> {
        columns(py, self.scan(py, |feed| feed.feed(data)), &self.1)
    }

    /// The operation of a last line without newline, if it is whole.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        columns(py, self.scan(py, Feed::finish), &self.1)
    }

    /// Whether records may take several lines.
    #[getter]
    fn joins(&self, py: Python<'_>) -> bool {
        self.lock(py).scan.style.joins()
    }

    /// The start of a line that waits for its end.
    #[getter]
    fn carry<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).carry)
    }

    /// Bytes so far of a line that is too long.
    #[getter]
    fn overlong(&self, py: Python<'_>) -> usize {
        self.lock(py).overlong
    }

    /// Offset behind the last whole line.
    #[getter]
    fn offset(&self, py: Python<'_>) -> i64 {
        self.lock(py).offset
    }

    /// How many texts a table has.
    fn count(&self, py: Python<'_>, table: usize) -> PyResult<usize> {
        self.lock(py).scan.strings.get(table).map(|table| table.len()).ok_or_else(no_table)
    }

    /// The texts of a table from one place to another, not decoded.
    fn texts<'py>(
        &self,
        py: Python<'py>,
        table: usize,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let feed = self.lock(py);
        let table = feed.scan.strings.get(table).ok_or_else(no_table)?;
        PyList::new(
            py,
            (start..end)
                .map_while(|i| table.get(i))
                .map(|text| PyBytes::new(py, text))
                .collect::<Vec<_>>(),
        )
    }

    /// What was counted so far.
    fn statistics(&self, py: Python<'_>) -> Statistics {
        let feed = self.lock(py);
        let (scan, seen) = (&feed.scan, &feed.scan.statistics);
        let time = |ns: i64| (ns != ABSENT).then_some(ns);
        let processes = scan.processes.iter().map(|process| process.pid);
        Statistics {
            understood: seen.understood,
            set_aside: seen.set_aside,
            unknown: seen.unknown,
            reasons: REASONS.into_iter().zip(seen.reasons).collect(),
            first_time: time(seen.first_time),
            last_time: time(seen.last_time),
            steps_back: seen.steps_back,
            clock_changes: seen.clock_changes,
            open_operations: scan.requests.len(),
            orphans: seen.orphans,
            combined: seen.combined,
            between_lines: seen.between_lines,
            whole_seconds: seen.whole_seconds,
            quantised: seen.quantised,
            microseconds: seen.microseconds,
            nanoseconds: seen.nanoseconds,
            finished: seen.finished,
            smallest: seen.smallest,
            newest_boot: seen.newest_boot,
            processes: seen.processes,
            pids: processes.chain([scan.pid]).filter(|pid| *pid != 0).collect(),
            returns: seen.returns,
            lacks_zone: matches!(seen.lacking, Lacking::Zone | Lacking::Year),
            lacks_year: seen.lacking == Lacking::Year,
            lacks_time: seen.lacking == Lacking::Time,
            zone_ns: seen.zone_ns,
            own: scan.own.clone(),
        }
    }

    /// Where in the stream lines of the last feed begin and end that may be messages of the server.
    fn messages(&self, py: Python<'_>) -> Column {
        Numbers::Wide(self.lock(py).scan.messages.concat()).column()
    }

    /// The connections of the table by server start and number, of CONNECTION numbers each.
    fn connections(&self, py: Python<'_>) -> Column {
        let feed = self.lock(py);
        let mut connections: Vec<_> = feed.scan.connections.iter().collect();
        connections.sort_unstable_by_key(|connection| connection.key);
        numbers_of(connections.into_iter())
    }

    /// The connections that have left the table and had requests without a result.
    fn closed_on(&self, py: Python<'_>) -> Column {
        numbers_of(self.lock(py).scan.closed_on.iter())
    }

    /// Those without an operation that have left the table: (client, minute, is open), how many.
    fn unused(&self, py: Python<'_>) -> Vec<((i32, i64, bool), u64)> {
        self.lock(py).scan.unused.clone()
    }

    /// Requests without a result, of REQUEST numbers each.
    fn requests(&self, py: Python<'_>) -> Column {
        let feed = self.lock(py);
        let numbers = feed.scan.requests.iter().flat_map(|request| {
            let (boot, conn) = boot_and_conn(request.key.conn);
            let inner = request.key.ids & 0xFFFF_FFFF != 0 || request.key.depth & 0xFFFF != 0;
            [
                boot,
                conn,
                request.key.ids >> 32,
                (conn < 0 || inner).into(),
                request.kind.into(),
                request.start,
                request.at,
                request.base.into(),
                request.shape.into(),
            ]
        });
        Numbers::Wide(numbers.collect()).column()
    }
}

const CONNECTION: [&str; 10] = [
    "boot",
    "conn",
    "client",
    "bind",
    "opened",
    "closed",
    "own",
    "closed_at",
    "opened_ns",
    "closed_ns",
];
const REQUEST: [&str; 9] =
    ["boot", "conn", "op", "internal", "kind", "start_ns", "at", "base", "fingerprint"];

fn no_table() -> PyErr {
    PyIndexError::new_err("no such table of strings")
}

/// Server start and number of a connection by its key.
fn boot_and_conn(key: i64) -> (i64, i64) {
    (key >> 42, (key & ((1 << 42) - 1)) - (1 << 41))
}

fn numbers_of<'c>(connections: impl Iterator<Item = &'c Connection>) -> Column {
    let numbers = connections.flat_map(|connection| {
        let (boot, conn) = boot_and_conn(connection.key);
        [
            boot,
            conn,
            connection.client.into(),
            connection.bind.into(),
            connection.opened.into(),
            connection.closed.into(),
            connection.own.into(),
            connection.closed_at,
            connection.opened_ns,
            connection.closed_ns,
        ]
    });
    Numbers::Wide(numbers.collect()).column()
}

type Columns<'py> = (Bound<'py, PyDict>, Column, Bound<'py, PyDict>);

fn columns<'py>(py: Python<'py>, rows: Rows, spare: &Arc<Mutex<Spare>>) -> PyResult<Columns<'py>> {
    let (all, rare) = (PyDict::new(py), PyDict::new(py));
    put(&all, &WIDE, rows.wide, Numbers::Wide, Some(spare))?;
    put(&all, &MIDDLE, rows.middle, Numbers::Middle, Some(spare))?;
    put(&all, &NARROW, rows.narrow, Numbers::Narrow, Some(spare))?;
    put(&rare, &RARE_WIDE, rows.rare_wide, Numbers::Wide, None)?;
    put(&rare, &RARE_MIDDLE, rows.rare_middle, Numbers::Middle, None)?;
    put(&rare, &RARE_NARROW, rows.rare_narrow, Numbers::Narrow, None)?;
    Ok((all, Numbers::Wide(rows.rare_at).column(), rare))
}

fn put<T, const N: usize>(
    columns: &Bound<'_, PyDict>,
    names: &[&str; N],
    values: [Vec<T>; N],
    numbers: fn(Vec<T>) -> Numbers,
    spare: Option<&Arc<Mutex<Spare>>>,
) -> PyResult<()> {
    for (name, values) in names.iter().zip(values) {
        let numbers = numbers(values);
        columns.set_item(name, Column { numbers, spare: spare.cloned() })?;
    }
    Ok(())
}

#[pymodule]
fn ldap_workbench_kernel(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("REASONS", REASONS.to_vec())?;
    m.add("TABLES", TABLES.to_vec())?;
    m.add("CLASSES", Class::NAMES.to_vec())?;
    m.add("STYLES", Style::NAMES.to_vec())?;
    m.add("UNITS", Unit::NAMES.to_vec())?;
    m.add("FIELDS", Field::NAMES.to_vec())?;
    m.add("KINDS", kind::NAMES.to_vec())?;
    m.add("NOTES", NOTES.to_vec())?;
    m.add("WITH_VLV", WITH_VLV)?;
    m.add("ABSENT", ABSENT)?;
    m.add("COLUMNS", [WIDE.as_slice(), &MIDDLE, &NARROW].concat())?;
    m.add("RARE", [RARE_WIDE.as_slice(), &RARE_MIDDLE, &RARE_NARROW].concat())?;
    m.add("CONNECTION", CONNECTION.to_vec())?;
    m.add("REQUEST", REQUEST.to_vec())?;
    m.add_class::<Kernel>()
}
