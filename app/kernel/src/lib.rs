//! The log kernel: text of access logs in, columns of finished operations out.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "columns are as wide as they are; numbers of a log that are wider are cut to that"
)]
#![allow(clippy::inline_always, reason = "measured: these few are read for every byte")]
#![allow(clippy::struct_excessive_bools, reason = "what a line says, or does not")]
#![allow(
    clippy::many_single_char_names,
    clippy::similar_names,
    reason = "t, p, q, e: text, place, end"
)]
#![allow(clippy::needless_pass_by_value, reason = "what Python hands over")]
#![allow(clippy::doc_markdown, reason = "OpenDJ and PingDirectory are products")]
#![allow(clippy::must_use_candidate, reason = "outside of this crate only its tests call")]
#![allow(clippy::unnecessary_wraps, reason = "a text of a line is put where there may be none")]

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
mod layouts;
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
pub use scan::{Scan, Statistics};
