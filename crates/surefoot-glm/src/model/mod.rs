//! Trained models: their parts, their validation, and prediction with them.
//!
//! This module may use [`data`](crate::data), [`labels`](crate::labels), [`loss`](crate::loss) and
//! [`memory`](crate::memory), and is independent of training. A new setting is declared in `settings`, and its range
//! in `validity`.

pub(crate) mod certificate;
pub(crate) mod group_index;
pub(crate) mod id_positions;
pub(crate) mod order_alarm;
pub(crate) mod path_end;
pub(crate) mod predictor;
pub(crate) mod settings;
pub(crate) mod state;
pub(crate) mod summary;
pub(crate) mod trained_model;
pub(crate) mod validity;
