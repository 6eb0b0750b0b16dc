//! How much memory there is.

/// Says how many bytes of memory rows may take.
const VARIABLE: &str = "SUREFOOT_MEMORY";

/// How many bytes rows may take: as many as the user says, else half of what is free now.
pub(crate) fn for_rows() -> usize {
    let said = std::env::var(VARIABLE).ok().and_then(|said| said.parse().ok());
    said.unwrap_or_else(half_of_free)
}

/// Half of what is free now, in bytes; where the system does not say, all there may be.
fn half_of_free() -> usize {
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
