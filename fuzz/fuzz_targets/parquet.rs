#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drive::rows(surefoot_io::Format::named("parquet").unwrap(), data));
