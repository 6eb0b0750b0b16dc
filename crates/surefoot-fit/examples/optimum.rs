//! Example: finds the optimum of a penalised problem, and shows the certified duality gap.

use surefoot_fit::{Event, Failed, Fit};
use surefoot_glm::{Batch, Loss};

fn main() -> Result<(), Failed> {
    let mut rows = Batch::default();
    for t in 0..2000_u32 {
        let (a, b) = (f64::from(t % 7) - 3.0, f64::from(t % 11) - 5.0);
        rows.push(Some(f64::from(a + b > f64::from(t % 3))), 1.0, &[(0, a), (1, b)]);
    }
    let fit = Fit::new(Loss::Logistic).l2(1e-3).optimum(1e-9).on_event(|event| {
        if let Event::Iteration { found, .. } = event {
            println!("objective {:.9}, gap {:?}", found.objective, found.gap);
        }
    });
    let outcome = fit.run(rows)?;
    println!("certified: {:?}", outcome.model.certificates[0].bound().map(|bound| bound.value));
    Ok(())
}
