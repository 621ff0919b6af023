//! The log kernel: text of access logs in, columns of finished operations out.

mod attributes;
mod audit;
mod brackets;
mod clock;
mod columns;
mod etimes;
mod feed;
mod fields;
mod filters;
mod grammar;
mod line;
mod lines;
mod numbers;
mod objects;
#[cfg(feature = "python")]
mod python;
mod rows;
mod scan;
mod slapd;
mod strings;
mod tables;
mod text;

pub use feed::Feed;
pub use grammar::{Class, Field, Grammar, Meaning, Style, Unit};
pub use numbers::Months;
pub use scan::Scan;
