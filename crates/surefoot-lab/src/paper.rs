//! The statements of the paper (Cutkosky 2019, arXiv 1903.00974), in its order, each with the experiment rows that test
//! it.

/// References to rows of experiments: the name of the experiment and the beginning of the row's label.
type Rows = &'static [(&'static str, &'static str)];

/// Statement of the paper (Cutkosky 2019), or of a theorem that strengthens one, with references to its tests.
#[derive(Debug)]
pub(crate) struct Statement {
    /// Where the statement stands in the paper, such as `Theorem 1`.
    pub(crate) place: &'static str,
    /// Text of the statement, with corrections where the paper is wrong.
    pub(crate) says: &'static str,
    /// Experiment rows whose claims test the statement.
    pub(crate) rows: Rows,
    /// Experiment rows with a planted error, where the claims of the statement must fail.
    pub(crate) errors: Rows,
    /// Unit tests of the library for this statement: file and function of each.
    pub(crate) tests: &'static [(&'static str, &'static str)],
}

/// All statements of the paper (Cutkosky 2019), in its order.
pub(crate) const PAPER: &[Statement] = &[
    Statement {
        place: "Algorithm 1",
        says: "α_t(x_t − w_t) = A_{t−1}(x_{t−1} − x_t), so x_t is close to x_{t−1}",
        rows: &[("V1", "identity, Algorithm 1"), ("V1", "‖x_t − x_{t−1}‖")],
        errors: &[("V1", "Σ α_i w_t for"), ("V1", "‖w_t − w_{t−1}‖")],
        tests: &[("theorems", "identity_of_consecutive_averages")],
    },
    Statement {
        place: "Theorem 1",
        says: "E[L(x_T) − L(u)] ≤ E[R_T(u)]/A_T",
        rows: &[("V1", "Theorem 1 with its slack"), ("V2", "Algorithm 1"), ("V3", "Algorithm 1"), ("V16", "β")],
        errors: &[("V1", "Theorem 1 at"), ("V2", "the noise"), ("V3", "up the"), ("V3", "the oracle"), ("V16", "β")],
        tests: &[("theorems", "theorem_one_with_exact_slack"), ("bounds", "runs_stay_below_theorem_one")],
    },
    Statement {
        place: "Theorem 1, in probability",
        says: "with probability 1 − δ the excess is at most (R_T + BG·√(2Σα_t²·ln(1/δ)))/A_T; printed with 2BG·√(Σα_t²·ln(2/δ))",
        rows: &[("V8", "α")],
        errors: &[("V8", "")],
        tests: &[("coverage", "theorem_one_in_probability")],
    },
    Statement {
        place: "Corollary 1",
        says: "with α = 1 the excess of the mean, where gradients are taken, is at most R_T/T; that of the iterates is not",
        rows: &[("V2", "Algorithm 1, α = 1"), ("V3", "Algorithm 1, α = 1"), ("V16", "β = 1")],
        errors: &[("V16", "β = 1, iterate")],
        tests: &[("theorems", "regret_bounds_the_excess_for_any_interpolation")],
    },
    Statement {
        place: "Corollary 2",
        says: "Σα_t(L(x_t) − L(u)) ≤ R(1 + ln(A_T/α_1)); for α = 1 and R_t ≤ c√t it is at most 2c√T",
        rows: &[("V7", "sum"), ("V13", "Σ_{i≥2}")],
        errors: &[("V7", "sum")],
        tests: &[("bounds", "runs_stay_below_the_corollaries")],
    },
    Statement {
        place: "Corollary 3",
        says: "means with weights t^k that the run did not know of are O(R_T/T), all at once",
        rows: &[("V7", "mean")],
        errors: &[("V7", "mean")],
        tests: &[("bounds", "runs_stay_below_the_corollaries")],
    },
    Statement {
        place: "Theorem 2",
        says: "for convex losses ℓ_t that bound L from below, E[L(x_T) − L(u)] ≤ E[R_T(u)]/A_T with their regret",
        rows: &[("V6", "excess under regret"), ("V20", "excess under")],
        errors: &[("V6", "excess under regret"), ("V20", "curvature")],
        tests: &[("guarantees", "regret_of_the_leader")],
    },
    Statement {
        place: "Corollary 4",
        says: "μ-strongly convex, α = 1: R_T ≤ (μB + G)²(1 + ln T)/(2μ), and the excess is at most that over T",
        rows: &[("V6", "max + ½‖x‖², α = 1, as"), ("V6", "noise, ball, α = 1"), ("V6", "regret, α = 1")],
        errors: &[("V6", "up the"), ("V6", "the oracle"), ("V6", "regret, up"), ("V6", "curvature")],
        tests: &[("bounds", "strong_convexity")],
    },
    Statement {
        place: "Corollary 5",
        says: "the same with α_t = t: no logarithm, R_T ≤ T(μB + G)²/μ, excess at most 2(μB + G)²/(μ(T + 1))",
        rows: &[("V6", "max + ½‖x‖², α = t, as"), ("V6", "noise, ball, α = t"), ("V6", "regret, α = t")],
        errors: &[("V6", "up the"), ("V6", "the oracle"), ("V6", "regret, up"), ("V6", "curvature")],
        tests: &[("bounds", "strong_convexity")],
    },
    Statement {
        place: "Footnote 1",
        says: "weights t do the same for the classic conversion",
        rows: &[("V6", "noise, classic")],
        errors: &[("V6", "losses without")],
        tests: &[],
    },
    Statement {
        place: "Theorem S",
        says: "no domain is needed: (8/3)G²/(μ(T + 1)) for α_t = t, (2/3)G²(1 + ln T)/(μT) for α = 1",
        rows: &[("V6", "max + ½‖x‖² under"), ("V6", "noise, whole")],
        errors: &[("V6", "losses without"), ("V6", "curvature"), ("V6", "up the")],
        tests: &[("bounds", "runs_stay_below_theorem_s"), ("guarantees", "strong_convexity_without_a_domain")],
    },
    Statement {
        place: "Remark on exp-concave losses",
        says: "Algorithm 2 with the online Newton step: O(d·ln T/T)",
        rows: &[("V20", "stream"), ("V20", "regret")],
        errors: &[("V20", "up the"), ("V20", "losses"), ("V20", "regret")],
        tests: &[("guarantees", "regret_of_the_newton_step")],
    },
    Statement {
        place: "Section 4, self-bounding",
        says: "‖∇L(x)‖² ≤ 2L(L(x) − L*), printed without the 2; so ΣL(w_t) − L* is O(Lψ² + ψσ√T) for the classic conversion",
        rows: &[("V13", "‖∇L‖² ÷ 2L"), ("V17", "sum at the iterates")],
        errors: &[("V13", "‖∇L‖² ÷ L"), ("V17", "sum, up")],
        tests: &[],
    },
    Statement {
        place: "Corollary 6, Theorem N",
        says: "smooth, α = 1, x* in D: 2Lψ²(2 + ln T)/T + 2ψσ/√T, printed with ln² and ln",
        rows: &[("V17", "chain"), ("V17", "hidden"), ("V17", "sum of")],
        errors: &[("V17", "up the"), ("V17", "valley"), ("V17", "the bottom"), ("V17", "sum, up")],
        tests: &[("bounds", "runs_stay_below_the_smooth_theorems")],
    },
    Statement {
        place: "Section 4, without a radius",
        says: "parameter-free learners have ψ of the order of ‖x*‖, and need not be told it",
        rows: &[("V17", "FreeGrad"), ("V15", "FreeGrad"), ("V10", "FreeGrad"), ("V10", "coin betting")],
        errors: &[("V17", "FreeGrad"), ("V15", "OGD-norm"), ("V10", "FreeGrad")],
        tests: &[("parameter_free", "a_guess_of_the_radius_does_not_matter")],
    },
    Statement {
        place: "Section 4, regret with hints",
        says: "R_T ≤ B·√(2Σα_t²‖ĝ_t − g_t‖²)",
        rows: &[("V10", "proximal"), ("V10", "dual averaging")],
        errors: &[("V10", "proximal"), ("V10", "dual averaging")],
        tests: &[("adversaries", "regret_is_never_above_the_bound"), ("adversaries", "nor_with_exact_hints")],
    },
    Statement {
        place: "Theorem 3",
        says: "Algorithm 3 with α_t = t is O(LB²/T^{3/2} + σB/√T): (2B/(T(T + 1)))·√(30(T + 1)³σ² + 40L²B²T)",
        rows: &[
            ("V4", "Algorithm 3, bound as printed"),
            ("V5", "as printed"),
            ("V5", "hidden"),
            ("V13", "hint one round late"),
            ("V13", "Theorem 3"),
        ],
        errors: &[
            ("V4", "hints one round late"),
            ("V5", "up the gradients, as"),
            ("V5", "a valley"),
            ("V13", "Theorem 3"),
        ],
        tests: &[("bounds", "the_last_step_of_theorem_three"), ("hints", "a_hint_one_round_late")],
    },
    Statement {
        place: "Remark after Theorem 3",
        says: "the classic conversion may not have that rate, as its w_t are not stable",
        rows: &[("V13", "hints in the classic")],
        errors: &[("V13", "hint on time"), ("V4", "hints in the classic")],
        tests: &[],
    },
    Statement {
        place: "Theorem O",
        says: "Algorithm 3 is accelerated: O(LB²/T² + σB/√T), with no logarithm and no bound on gradients",
        rows: &[("V4", "Algorithm 3"), ("V5", "σ"), ("V9", "a rate"), ("V2", "Algorithm 3"), ("V3", "Algorithm 3")],
        errors: &[("V4", "hints"), ("V4", "up the gradients"), ("V5", "σ a"), ("V5", "up the"), ("V9", "")],
        tests: &[("guarantees", "algorithms_3_and_4_accelerate"), ("bounds", "runs_stay_below_the_smooth_theorems")],
    },
    Statement {
        place: "Theorem 4",
        says: "y_T of Algorithm 4: (4B + 8LB²ℓ)/T² + 4Bσ√ℓ/√T with ℓ = ln(1 + G²T³), told neither L nor σ",
        rows: &[
            ("V18", "as printed"),
            ("V18", "hidden valley"),
            ("V18", "distance"),
            ("V4", "Algorithm 4 with ε = 1"),
            ("V13", "√Σx"),
            ("V13", "Σ x_i"),
        ],
        errors: &[
            ("V18", "σ forgotten"),
            ("V18", "the first"),
            ("V18", "a valley"),
            ("V18", "distance"),
            ("V2", "regret with"),
            ("V1", "Algorithm 4 averages"),
            ("V13", "Σ x_i"),
        ],
        tests: &[("guarantees", "algorithms_3_and_4_accelerate"), ("bounds", "acceleration")],
    },
    Statement {
        place: "Theorem A",
        says: "the same without units (ε = 0) and half the constant; for x_T twice that; with c = 4 and exact gradients no logarithm",
        rows: &[("V18", "ε = 0"), ("V18", "c = 4"), ("V4", "Algorithm 4"), ("V11", "Algorithm 4")],
        errors: &[("V18", "up the"), ("V4", "up the gradients, Algorithm 4"), ("V11", "Algorithm 4")],
        tests: &[("guarantees", "algorithm_4_after_the_fact"), ("guarantees", "epsilon_has_a_unit")],
    },
    Statement {
        place: "Theorem 5",
        says: "the same run where nothing is smooth: (R_T + cB·√(Λ_T·ΣA_t‖∇L(y_t)‖²))/A_T, so O(BG·√(ln T/T)), printed √ln T/T",
        rows: &[("V3", "Algorithm 4"), ("V18", "hidden edge")],
        errors: &[("V3", "up the"), ("V18", "the first")],
        tests: &[("bounds", "acceleration")],
    },
    Statement {
        place: "Abstract, adaptivity",
        says: "no method is told L or σ: within 3 times the excess of one that is, at every σ; and no unit of the loss matters",
        rows: &[("V19", "Algorithm"), ("V11", "Algorithm")],
        errors: &[("V19", "told"), ("V11", "Algorithm 4")],
        tests: &[],
    },
];
