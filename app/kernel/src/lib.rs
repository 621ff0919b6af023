//! The log kernel: lines of access logs in, columns of operations out.

#[cfg(feature = "python")]
mod python;
