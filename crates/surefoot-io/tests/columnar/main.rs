//! Tests of columnar tables: Parquet and Arrow.
#![cfg(feature = "parquet")]

#[path = "../common/mod.rs"]
mod common;
mod damage;
mod folders;
mod golden;
mod groups;
mod memory;
mod names;
mod parts;
mod refusals;
mod same;
mod several;
mod tables;
mod twin;
mod vectors;
