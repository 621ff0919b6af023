#![no_main]

#[path = "../../tests/samples/mod.rs"]
mod samples;

libfuzzer_sys::fuzz_target!(|text: &[u8]| samples::fuzz(ldap_workbench_kernel::Style::Events, text));
