//! `haptic` of `crates/thenar-fuzz`, which says what is read.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(target) = thenar_fuzz::target("haptic") {
        (target.run)(bytes);
    }
});
