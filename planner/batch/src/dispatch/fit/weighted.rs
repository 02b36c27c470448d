//! Weighted (5.3.4): nodes of which the least is left over when the job is placed, what is scarce and asked for counting more.
//!
//! Equation 5.7: the weight of a resource is `request x load / available`. Its mean request is over the jobs of the window, from
//! the one to be placed on, weighted by their estimated durations, `sum(d n r) / sum(d)`; its load is what is used over what
//! there is. The sum of durations is the same for all resources and is left out.

use super::{FitView, NodeOrder, PlaceRequest, UnitFitPart, fitting, sort_by_rank};
use crate::policy::{About, Options, PolicyOption, option};

/// The waiting jobs that are looked at.
pub(super) const WINDOW: PolicyOption =
    option("window", "100", "how many waiting jobs weights look at, from the one to be placed on");

/// The least that is left over, by weight.
pub(super) const FIT: UnitFitPart = UnitFitPart {
    about: About {
        name: "weighted",
        meaning: "nodes with the least left over, weighted by what is asked for and scarce",
        options: &[WINDOW],
    },
    build: |_, options| Box::new(Weighted { window: window(options), ..Weighted::default() }),
};

/// How many waiting jobs the options say.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range")]
pub(super) fn window(options: &mut Options<'_>) -> usize {
    options.number(WINDOW.name, 1.0, 1e6).map_or(100, |window| window as usize)
}

#[derive(Debug, Default)]
struct Weighted {
    window: usize,
    ranks: Vec<(f64, u32)>,
}

impl NodeOrder for Weighted {
    fn order(&mut self, view: &FitView<'_>, request: &PlaceRequest<'_>, nodes: &mut Vec<u32>) {
        rank(view, request, &weights(view), &mut self.ranks);
        sort_by_rank(nodes, &mut self.ranks);
    }

    fn window(&self) -> usize {
        self.window
    }
}

/// The weights of resources by position.
pub(super) fn weights(view: &FitView<'_>) -> Vec<f64> {
    let kinds = view.system.resources.len();
    let mut requests = vec![0.0; kinds];
    for job in view.waiting {
        for (units, kind) in view.units.get(job.unit).kinds(job.units) {
            let weight = job.estimate.as_seconds() * f64::from(units);
            for &(place, amount) in &kind.of_node {
                requests[place] += weight * f64::from(amount);
            }
        }
    }
    let totals = view.system.totals();
    let weight = |(place, request): (usize, f64)| {
        let available = totals[place] as f64;
        if available <= 0.0 {
            return 0.0;
        }
        let load = (available - view.free.totals()[place] as f64) / available;
        request * load / available
    };
    requests.into_iter().enumerate().map(weight).collect()
}

/// Ranks nodes on which a unit fits by the weighted sum of what is left when as many are placed as fit.
pub(super) fn rank(
    view: &FitView<'_>,
    request: &PlaceRequest<'_>,
    weights: &[f64],
    ranks: &mut Vec<(f64, u32)>,
) {
    ranks.extend(fitting(view, request).map(|(node, fits)| {
        let free: f64 = view
            .free
            .on(node)
            .iter()
            .zip(weights)
            .map(|(free, weight)| f64::from(*free) * weight)
            .sum();
        let taken: f64 = request
            .unit
            .of_node
            .iter()
            .map(|&(place, amount)| f64::from(amount) * f64::from(fits) * weights[place])
            .sum();
        (free - taken, node)
    }));
}
