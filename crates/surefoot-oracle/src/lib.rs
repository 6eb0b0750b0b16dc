//! Dense, literal twins of every algorithm, for tests only.
