//! Losses, rows and the one-pass trainer of generalised linear models.
