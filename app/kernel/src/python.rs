//! What Python sees of the kernel.

use pyo3::prelude::*;

#[pymodule]
fn ldap_workbench_kernel(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))
}
