//! Readers of training data and model files for surefoot.
