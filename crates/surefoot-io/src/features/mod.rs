//! Conversion of cells and names to the features of a row: ids, products, feature groups and missing-cell indicators.
//!
//! This module may use [`table`](crate::table), [`ids`](crate::ids) and [`text`](crate::text), and does not depend on any data format.
//! A parser of a format with named features passes them to [`RowBuilder`](row_builder::RowBuilder).

pub(crate) mod cell_index;
pub(crate) mod column_means;
pub(crate) mod feature_columns;
pub(crate) mod feature_groups;
pub(crate) mod row_builder;
