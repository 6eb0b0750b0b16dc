//! How much memory there is.

/// Half of what is free now, in bytes; where the system does not say, all there may be.
pub(crate) fn half_of_free() -> usize {
    let said = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = said.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok());
    kibibytes.map_or(usize::MAX, |kibibytes| kibibytes.saturating_mul(512))
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_some() {
        assert!(super::half_of_free() > 1 << 20);
    }
}
