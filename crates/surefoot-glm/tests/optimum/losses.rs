//! Tests of optima for all single-margin losses, with row offsets, l1 penalties and bounds, and losses with kinks.

use super::problem::{at_least_0, examples, goal, rows, value};
use surefoot_glm::{
    Loss,
    optimum::{Ended, Examples, Goal, Optimum, optimise},
};

type Golden = (Loss, f64, f64, bool, bool, f64, [f64; 6]);

/// Each entry: loss, l1, l2, whether there is an intercept, whether weights are at least 0, then the optimum with row offsets
/// [`offset`]: objective, weights and intercept. They were computed with dense solvers in numpy and scipy: L-BFGS-B and then
/// Newton steps on the nonzero weights; for losses with kinks a linear program (with an l2 penalty Mehrotra's method), then
/// the linear system of the rows whose margins are at a kink.
#[rustfmt::skip]
const GOLDEN: [Golden; 34] = [
    (Loss::Huber { delta: 0.7 }, 0.0, 0.01, false, false, 0.2389883558182758, [0.8187832167976232, 0.018387354591129997, 1.7155875251607031, -1.214611204562357, -0.1595993174587594, 0.0]),
    (Loss::Huber { delta: 0.7 }, 0.0, 0.01, true, false, 0.22294038231037214, [0.7996961054938717, -0.370933448350035, 1.7787598182750644, -1.2670780075830268, -0.20067863030288602, 1.1818325035967652]),
    (Loss::Huber { delta: 0.7 }, 0.02, 0.05, true, false, 0.3311437327578805, [0.3742675404677303, -0.18917299146781752, 0.6302671622732031, -0.3589264536206866, -0.06609362282211623, 0.6645882272305216]),
    (Loss::Huber { delta: 0.7 }, 0.02, 0.0, true, false, 0.2798040972793115, [0.7047473763473862, -0.28700702891873525, 1.7115647653987243, -1.1494592924883995, 0.0, 0.9428429373015685]),
    (Loss::Huber { delta: 0.7 }, 0.0, 0.05, true, true, 0.3166861701141055, [0.5109227538765908, 0.0, 0.8760518499169533, 0.0, 0.0, 0.1269895171117356]),
    (Loss::SmoothedHinge, 0.0, 0.01, false, false, 0.4082308539984794, [0.9079053036722453, 0.019641742887071992, 1.2508372497071214, -1.0364380432532705, 0.1532200938558389, 0.0]),
    (Loss::SmoothedHinge, 0.0, 0.01, true, false, 0.38696503895498874, [0.9904423882892008, -0.44125941199693514, 1.3667264563873605, -1.1234854732247095, 0.08605739071256104, 1.415086988742852]),
    (Loss::SmoothedHinge, 0.02, 0.05, true, false, 0.47814479414933625, [0.6191544201857679, -0.18335673602643335, 0.506462235368623, -0.4157966456039414, 0.0, 0.6846648619458696]),
    (Loss::SmoothedHinge, 0.02, 0.0, true, false, 0.44058876609589326, [0.8679894320678155, -0.31932905997091166, 1.1328879782922154, -0.8954915776885742, 0.0, 1.0693535683388358]),
    (Loss::SmoothedHinge, 0.0, 0.05, true, true, 0.46407259722700644, [0.7276859775827588, 0.0, 0.6933318136577139, 0.0, 0.0, 0.17163690435450593]),
    (Loss::Gamma, 0.0, 0.01, false, false, 1.3951410270092157, [0.7835524588368644, 0.11136598175119199, 1.9354205551974677, -1.1294474856317631, 0.22377150176745128, 0.0]),
    (Loss::Gamma, 0.0, 0.01, true, false, 1.3357489553352113, [0.9388367141731148, -0.45813246458581636, 1.8619602231971033, -1.2158326478871855, -0.055853987180469855, 1.707713218582099]),
    (Loss::Gamma, 0.02, 0.05, true, false, 1.4756792605100044, [0.5537345424112451, -0.2964458327026292, 1.063846998154034, -0.6767226640736197, -0.009488294697600699, 1.3352623202908498]),
    (Loss::Gamma, 0.02, 0.0, true, false, 1.3939176063261838, [0.8730464437035096, -0.3928725302497965, 1.8141899695307422, -1.1108126544062724, 0.0, 1.522944395436525]),
    (Loss::Gamma, 0.0, 0.05, true, true, 1.4861908295429385, [0.5824240633556167, 0.0, 1.2517937728649557, 0.0, 0.0, 0.5438769176914866]),
    (Loss::Tweedie { power: 1.5 }, 0.0, 0.01, false, false, 3.875334788806054, [1.3426137593813026, -0.1377394661034823, 2.9790823707040626, -1.5151558057924506, 0.3747702000001968, 0.0]),
    (Loss::Tweedie { power: 1.5 }, 0.0, 0.01, true, false, 3.830747264872555, [1.50982705049009, -0.6769147071999029, 2.75870604584916, -1.6350608519543572, 0.174384586306639, 1.6267829086887877]),
    (Loss::Tweedie { power: 1.5 }, 0.02, 0.05, true, false, 4.0842973784045835, [0.8083025184060694, -0.4504656082989241, 1.639558395643438, -0.9529267719878263, -0.055608143059436635, 1.2285969393708285]),
    (Loss::Tweedie { power: 1.5 }, 0.02, 0.0, true, false, 3.89839016114437, [1.4740831134703083, -0.633332136716114, 2.7585396770532626, -1.5191990927902328, 0.0, 1.5037305518551927]),
    (Loss::Tweedie { power: 1.5 }, 0.0, 0.05, true, true, 4.126291264751687, [0.7697831075376733, 0.0, 1.88714229755189, 0.0, 0.0, -0.003728918806653469]),
    (Loss::Hinge, 0.0, 0.01, false, false, 0.7185443281965863, [1.5657671567742382, 0.013363516798055364, 1.6372650828478452, -1.262794493487082, -0.07738445200812828, 0.0]),
    (Loss::Hinge, 0.0, 0.01, true, false, 0.6859576520726491, [1.4487465172219414, -0.6917173166333105, 1.9505663396680957, -1.5861682573774063, 0.11849771325151856, 2.1370433408212017]),
    (Loss::Hinge, 0.02, 0.05, true, false, 0.8634232341629942, [1.1791519746547483, -0.2232598470485018, 0.6813820470673746, -0.6912628853763854, -0.06527320896315844, 0.8197780019465059]),
    (Loss::Hinge, 0.02, 0.0, true, false, 0.7545254821873413, [1.4180693951626877, -0.6518419781338968, 1.931638284224502, -1.5229702782560692, 0.0, 2.0307702581634937]),
    (Loss::Hinge, 0.0, 0.05, true, true, 0.840095115224127, [1.2058921442796926, 0.0, 1.0186987690893656, 0.0, 0.0, 0.18893347540296626]),
    (Loss::Absolute, 0.0, 0.01, false, false, 0.5853000384073223, [0.8580442730086645, 0.01822824702619108, 1.7370720972666913, -1.5599440580249477, -0.16948295331846625, 0.0]),
    (Loss::Absolute, 0.0, 0.01, true, false, 0.5618115117769156, [0.848640425849937, -0.4333691802835568, 2.01103069932796, -1.7865556342570759, 0.3483960443419792, 1.309100546301141]),
    (Loss::Absolute, 0.02, 0.05, true, false, 0.706403519120876, [0.38991680645992627, -0.2517099209917666, 1.1033286372175728, -0.729614354769723, -0.08498763961193098, 0.8170871837056743]),
    (Loss::Absolute, 0.02, 0.0, true, false, 0.621551273153923, [0.6228586130518401, -0.33560960544577617, 1.7898916699122234, -1.546660109658353, 0.0, 1.0376833587738503]),
    (Loss::Absolute, 0.0, 0.05, true, true, 0.7123973450675198, [0.48727036949377867, 0.0, 0.9164236804398066, 0.0, 0.0, 0.10624869986765512]),
    (Loss::Quantile { tau: 0.9 }, 0.0, 0.01, false, false, 0.16481709927786675, [0.3743985708494234, 0.3769417745693209, 1.5947635695480789, -0.7870059156149846, 0.21240436179631897, 0.0]),
    (Loss::Quantile { tau: 0.9 }, 0.0, 0.01, true, false, 0.13925186678921322, [0.8557521289849722, -0.33762318520169377, 1.3010212915453485, -0.9670378716827199, 0.26856242326994634, 2.1293388677427694]),
    (Loss::Quantile { tau: 0.9 }, 0.02, 0.0, true, false, 0.1811917059542896, [0.0, 0.0, 0.6537281655221635, -0.574730540653675, 0.0, 1.5221158312633634]),
    (Loss::Quantile { tau: 0.9 }, 0.0, 0.05, true, true, 0.18012785303971154, [0.2391713893673484, 0.0, 0.42822362109521295, 0.0, 0.0, 1.513055597358099]),
];

fn offset(i: usize) -> f64 {
    0.25 * (i % 4) as f64 - 0.5
}

fn with_offsets(loss: Loss) -> Examples {
    let mut examples = Examples::default();
    for (i, (label, weight, column, values)) in rows(loss).iter().enumerate() {
        examples.push(*label, *weight, offset(i), column, values);
    }
    examples
}

fn objective(goal: &Goal, best: &Optimum) -> f64 {
    let rows = rows(goal.loss);
    let total: f64 = rows.iter().map(|row| row.1).sum();
    let losses = rows.iter().enumerate().map(|(i, (y, weight, column, values))| {
        let margin: f64 = column.iter().zip(values).map(|(&j, x)| best.weights[j as usize] * x).sum();
        weight / total * value(goal.loss, *y, margin + best.intercept[0] + offset(i))
    });
    let penalty: f64 = best.weights.iter().map(|w| goal.l1 * w.abs() + goal.l2 / 2.0 * w * w).sum();
    losses.sum::<f64>() + penalty
}

fn kinked(loss: Loss) -> bool {
    loss.smoothness().is_none() && loss.lipschitz().is_some()
}

#[test]
fn optima_agree_and_certificates_hold_all_the_way() {
    let mut finite = 0;
    for (loss, l1, l2, intercept, nonnegative, least, point) in GOLDEN {
        // Kinks are rounded off last of all: their weights are the corners of a polyhedron.
        let tolerance = if kinked(loss) { 1e-9 } else { 1e-12 };
        let goal = Goal { tolerance, bounds: at_least_0(nonnegative), ..goal(loss, l1, l2, intercept) };
        let case = format!("{goal:?}");
        let found = optimise(&with_offsets(loss), &goal, (&[], &[]), &|| false, &mut |best| {
            let here = objective(&goal, best);
            assert!((here - best.objective).abs() <= 1e-12 * here.abs(), "{case}: {here} is not {}", best.objective);
            assert!(!nonnegative || best.weights.iter().all(|w| *w >= 0.0), "{case}");
            if let Some(gap) = best.gap {
                finite += 1;
                // The reference of a linear program is that good.
                let missing = best.objective - least - 1e-12 * least.abs();
                assert!(gap >= missing, "{case}: {gap} for {missing}");
            }
        });
        let found = found.expect("rows with weight");
        assert_eq!(found.ended, Ended::Certified, "{case} {found:?}");
        assert!((found.objective / least - 1.0).abs() <= tolerance, "{case} {found:?}");
        let enough = if kinked(loss) { 1e-4 } else { 1e-6 };
        let all = found.weights.iter().chain(&found.intercept).zip(point);
        assert!(all.clone().all(|(w, exact)| (w - exact).abs() <= enough * (1.0 + exact.abs())), "{case} {found:?}");
        let zeros = |(w, exact): (&f64, f64)| (*w == 0.0) == (exact == 0.0);
        // Weights that are held at 0 and are on a kink come as near as they may.
        assert!(kinked(loss) && nonnegative || all.clone().take(5).all(zeros), "{case} {found:?}");
    }
    assert!(finite > 300, "{finite} finite gaps");
}

/// Checks that, without features, the optimal intercept for quantile loss is the quantile of the labels.
#[test]
fn the_best_constant_of_a_quantile_is_the_quantile() {
    let mut examples = Examples::default();
    (0..11).for_each(|i| examples.push(f64::from(i * i), 1.0, 0.0, &[], &[]));
    for (loss, exact) in
        [(Loss::Absolute, 25.0), (Loss::Quantile { tau: 0.05 }, 0.0), (Loss::Quantile { tau: 0.8 }, 64.0)]
    {
        let goal = Goal { tolerance: 1e-10, ..goal(loss, 0.0, 1.0, true) };
        let found = optimise(&examples, &goal, (&[], &[]), &|| false, &mut |_| ()).expect("rows with weight");
        assert!((found.intercept[0] - exact).abs() < 1e-6 && found.ended == Ended::Certified, "{found:?}");
    }
}

/// Checks that scaling labels, with l2 scaled inversely, scales the optimal objective of absolute loss, whose kinks the
/// search smooths.
#[test]
fn units_do_not_matter_to_kinks() {
    for unit in [1e-9, 1e9] {
        let (plain, mut moved) = (rows(Loss::Absolute), rows(Loss::Absolute));
        moved.iter_mut().for_each(|row| row.0 *= unit);
        let goal_of = |unit: f64| goal(Loss::Absolute, 0.0, 0.01 / unit, true);
        let one = |rows: &[_], unit| optimise(&examples(rows), &goal_of(unit), (&[], &[]), &|| false, &mut |_| ());
        let (first, second) = (one(&plain, 1.0).expect("rows"), one(&moved, unit).expect("rows"));
        assert_eq!((first.ended, second.ended), (Ended::Certified, Ended::Certified));
        assert!((second.objective / unit / first.objective - 1.0).abs() < 2e-6, "{first:?} {second:?}");
    }
}
