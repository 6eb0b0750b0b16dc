//! Online learners and the reductions that turn them into stochastic convex optimisers.
