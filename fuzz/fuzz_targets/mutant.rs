#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drive::models::mutant_of_any(data));
