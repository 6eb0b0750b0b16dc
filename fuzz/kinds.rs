//! Models of all kinds, small: every loss, with and without penalties, balls, classes and names, at their end and in the middle of their
//! passes.

use std::io::Cursor;
use std::sync::Arc;

use surefoot_glm::{
    Ball, Batch, Bounds, ClassWeights, FeatureGroups, Loss, Missing, Model, PathPoint, Penalty, PenaltyTerm, Plan,
    Select, Settings, Trainer,
};
use surefoot_io::{Format, Inferred, Options, Reader, RowSource};

/// Three passes with held-out rows.
const PASSES: Plan = Plan { passes: 3, holdout: Some(5), ..Plan::ONE_PASS };

/// Rows of a table with texts, gaps and weights, for a loss.
pub fn table(loss: Loss) -> String {
    let mut text = "label,w,x,y,colour,exposure\n".to_owned();
    for t in 0..60_u32 {
        let label = match loss {
            _ if loss.is_multiclass() => ["ash", "beech", "cedar"][t as usize % 3].to_owned(),
            _ if loss.classifies() => ["no", "yes"][t as usize / 2 % 2].to_owned(),
            _ => (1 + t % 5).to_string(),
        };
        let gap = if t % 7 == 3 { String::new() } else { (t % 4).to_string() };
        let colour = ["red", "green", "\u{e9}-b\u{3b2}", "\"a,b\""][t as usize % 4];
        text += &format!("{label},{},{}.5,{gap},{colour},{}\n", 1 + t % 2, t % 9, 1 + t % 3);
    }
    text
}

/// Rows whose labels are shares of successes, of as many trials as their column of exposures says.
fn shares() -> String {
    let mut text = "label,w,x,y,colour,exposure\n".to_owned();
    for t in 0..60_u32 {
        let trials = 1 + t % 3;
        let share = f64::from(t % (trials + 1)) / f64::from(trials);
        text += &format!("{share},1,{}.5,{},{},{trials}\n", t % 9, t % 4, ["red", "green"][t as usize % 2]);
    }
    text
}

/// Rows in svmlight, whose labels are numbers.
pub fn pairs(loss: Loss) -> String {
    let label = |t: u32| {
        if loss.is_multiclass() {
            t % 3
        } else if loss.classifies() {
            t / 2 % 2
        } else {
            1 + t % 5
        }
    };
    (0..60).map(|t| format!("{} 1:{} {}:1 70001:{}\n", label(t), t % 9, 3 + t % 4, t % 3)).collect()
}

/// The rows that can be read of a text.
pub fn read(text: &str, options: &Options) -> Batch {
    let mut all = Batch::default();
    all.clear();
    let Ok(mut reader) = Reader::with_reader("f", Cursor::new(text.as_bytes().to_vec()), options.clone()) else {
        return all;
    };
    let mut batch = Batch::default();
    while let Ok(true) = reader.read(&mut batch) {
        for r in 0..batch.len() {
            let row = batch.row(r);
            let pairs: Vec<_> = row.index.iter().copied().zip(row.value.iter().copied()).collect();
            all.push(row.label, row.weight, &pairs);
        }
    }
    all
}

/// How rows of a format are read from scratch.
fn options(format: &str, settings: &Settings) -> Options {
    let format = Format::named(format).expect("it is in the table");
    let mut options = Options { format: Some(format), classes: settings.loss.classifies(), ..Options::default() };
    options.reading = settings.reading.clone();
    options.reading.by = format.by;
    if format.name == "csv" {
        if options.reading.table.missing == Missing::Refuse {
            options.reading.table.missing = Missing::Indicator;
        }
        options.wanted.label = Some("label".into());
        options.wanted.weight = Some("w".into());
        if settings.reading.bits.is_some() {
            options.wanted.text = vec!["colour".into()];
        }
    }
    options.groups = settings.groups.clone();
    options.found = Arc::new(Inferred::default().with_many_classes(settings.loss.is_multiclass()));
    options
}

/// Use of a column besides labels and weights.
#[derive(Clone, Copy, PartialEq)]
enum Extra {
    None,
    Offset,
    Exposure,
    /// Labels are shares of so many trials.
    Trials,
}

fn learn(format: &str, settings: Settings, plan: Plan, pause: Option<usize>) -> Model {
    learn_with(Extra::None, format, settings, plan, pause)
}

fn learn_with(extra: Extra, format: &str, settings: Settings, plan: Plan, pause: Option<usize>) -> Model {
    let text = match format {
        "csv" if extra == Extra::Trials => shares(),
        "csv" => table(settings.loss),
        _ => pairs(settings.loss),
    };
    let mut options = options(format, &settings);
    let column = |of: Extra| (extra == of).then(|| "exposure".to_owned());
    (options.wanted.offset, options.wanted.exposure, options.wanted.trials) =
        (column(Extra::Offset), column(Extra::Exposure), column(Extra::Trials));
    options.classes &= extra != Extra::Trials;
    let batch = read(&text, &options);
    let mut trainer = Trainer::new(settings, plan);
    if extra == Extra::Trials {
        trainer.treat_labels_as_proportions();
    }
    trainer.treat_labels_as_class_names(|| options.found.classes());
    let mut left = pause.unwrap_or(usize::MAX);
    for _ in 0..plan.passes {
        let to = batch.len().min(left);
        trainer.learn(&batch, 0, to).expect("rows that can be learnt");
        left -= to;
        if left == 0 {
            break;
        }
        trainer.end_pass().expect("rows on the shelf are in memory");
    }
    let place = serde_json::json!({"row": pause});
    let mut model = if pause.is_some() { trainer.pause(place) } else { trainer.model() };
    model.settings.reading = options.reading();
    model.names = options.found.names(&model.index);
    model
}

/// The settings of models, by what is special about them.
fn all_settings() -> Vec<Settings> {
    let of = |loss| Settings { loss, ..Settings::default() };
    let penalised = |loss, penalty| Settings { penalty, ..of(loss) };
    let l2 = Penalty { l2: 0.01, ..Penalty::default() };
    let mut all: Vec<Settings> = Loss::ALL.into_iter().map(of).collect();
    all.extend([
        Settings { intercept: false, ..of(Loss::Squared) },
        Settings { intercept: false, ..of(Loss::Softmax) },
        penalised(Loss::Logistic, Penalty { path: Some(PenaltyTerm::L2), ..Penalty::default() }),
        penalised(Loss::Gamma, Penalty { path: Some(PenaltyTerm::L1), ..Penalty::default() }),
        penalised(Loss::Squared, Penalty { l1: 0.1, bounds: Bounds::NONNEGATIVE, ..Penalty::default() }),
        penalised(Loss::Softmax, l2),
        Settings {
            groups: FeatureGroups {
                factors: vec![("x".into(), 0.5), ("colour".into(), 2.0)],
                bounds: vec![("y".into(), Bounds::NONNEGATIVE)],
            },
            ..penalised(Loss::Poisson, l2)
        },
        Settings { class_weights: Some(ClassWeights::Balanced), ..of(Loss::Hinge) },
        Settings {
            class_weights: Some(ClassWeights::Given(vec![("yes".into(), 3.0), ("0".into(), 0.5)])),
            ..of(Loss::Logistic)
        },
        Settings { class_weights: Some(ClassWeights::Balanced), ..of(Loss::Ovr) },
    ]);
    for loss in [Loss::Logistic, Loss::SquaredHinge, Loss::Squared] {
        for row_norm in [None, Some(5e9)] {
            // Rows with weights above 1 are not for balls with a bound on rows.
            all.push(Settings { ball: Some(Ball { radius: 2.0, row_norm, delta: 0.05 }), ..of(loss) });
        }
    }
    for penalty in [
        Penalty { standardize: true, ..l2 },
        Penalty { l1: 0.01, bounds: Bounds::NONNEGATIVE, standardize: true, ..Penalty::default() },
        Penalty { path: Some(PenaltyTerm::L1), standardize: true, ..Penalty::default() },
    ] {
        all.push(penalised(Loss::Squared, penalty));
    }
    let mut filled = of(Loss::Squared);
    filled.reading.table.missing = Missing::Mean;
    filled.reading.table.means = [("x".to_owned(), 4.25), ("y".to_owned(), -1e-3)].into();
    filled.reading.table.no_default_na = true;
    filled.reading.table.na = vec!["?".into()];
    all.push(filled);
    let mut hashed = of(Loss::Logistic);
    hashed.reading.bits = Some(8);
    hashed.reading.interact = vec![("x".into(), "colour".into())];
    all.push(hashed);
    all
}

/// One model for each setting, format and end: whole, and cut off in its first and in its second pass.
pub fn models() -> Vec<Model> {
    let mut models = Vec::new();
    for settings in all_settings() {
        let bounded = settings.ball.is_some_and(|ball| ball.row_norm.is_some());
        let format = if bounded { "svmlight" } else { "csv" };
        let one = Plan { optimum: (settings.penalty.l2 > 0.0).then_some(1e-6), ..Plan::ONE_PASS };
        models.push(learn("svmlight", settings.clone(), Plan::ONE_PASS, None));
        models.push(learn(format, settings.clone(), one, Some(33)));
        // A penalty of a path is chosen in one pass, or by optima.
        let plan = if settings.penalty.path.is_some() { one } else { PASSES };
        models.push(learn(format, settings.clone(), plan, Some(60 * plan.passes as usize - 83 % 60)));
    }
    let of = |loss| Settings { loss, ..Settings::default() };
    for (extra, loss) in [
        (Extra::Offset, Loss::Logistic),
        (Extra::Offset, Loss::Softmax),
        (Extra::Exposure, Loss::Poisson),
        (Extra::Trials, Loss::Logistic),
    ] {
        for (plan, pause) in [(Plan::ONE_PASS, None), (Plan::ONE_PASS, Some(33)), (PASSES, Some(97))] {
            models.push(learn_with(extra, "csv", of(loss), plan, pause));
        }
    }
    models.extend([Select::Min, Select::OneSe].map(chosen));
    models
}

/// A model in the middle of a search for its penalty, whose path is there.
fn chosen(select: Select) -> Model {
    let penalty = Penalty { path: Some(PenaltyTerm::L2), standardize: true, ..Penalty::default() };
    let settings = Settings { penalty, ..Settings::default() };
    let mut model = learn("csv", settings, Plan { optimum: Some(1e-6), select, ..Plan::ONE_PASS }, Some(60));
    let point = |l2: f64| PathPoint { l1: 0.0, l2, loss: 0.5 + l2, error: Some(0.125) };
    model.summary.path = [0.5, 0.25, 0.0].map(point).to_vec();
    model
}
