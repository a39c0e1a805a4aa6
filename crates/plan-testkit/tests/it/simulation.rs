//! Runs in a made-up world: what holds in every run holds in all of them.

mod mutants;

use plan_testkit::simulate::subject;

/// So many runs where nothing else is said.
const RUNS: u64 = 2_000;

fn wanted(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs subjects on every core; each subject is two runs.
fn first_broken(subjects: u64) -> Option<String> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = subjects.div_ceil(u64::try_from(cores).unwrap());
    std::thread::scope(|scope| {
        let mut shares = Vec::new();
        for from in (0..subjects).step_by(usize::try_from(share.max(1)).unwrap()) {
            let seeds = from..(from + share).min(subjects);
            shares.push(scope.spawn(|| seeds.into_iter().find_map(|seed| subject(seed).verdict())));
        }
        shares.into_iter().find_map(|share| share.join().unwrap())
    })
}

#[test]
fn thousands_of_runs_are_sound() {
    let runs = wanted("PLANWRIGHT_RUNS").unwrap_or(RUNS);
    if let Some(broken) = first_broken(runs / 2) {
        panic!("{broken}");
    }
}

#[test]
fn one_seed() {
    let seed = wanted("PLANWRIGHT_SEED");
    let run = subject(seed.unwrap_or(7)).simulation.run_twice();
    if seed.is_some() {
        println!("{run}");
    }
    run.assert_sound();
}

#[test]
fn survey() {
    use std::collections::BTreeMap;
    let n = wanted("PLANWRIGHT_RUNS").unwrap_or(0);
    let mut seen: BTreeMap<&str, (usize, u64, String)> = BTreeMap::new();
    let (mut statuses, mut kinds, mut steps, mut compared) =
        (BTreeMap::new(), BTreeMap::new(), 0, 0);
    for seed in 0..n {
        let run = subject(seed).simulation.untraced().run_twice();
        *statuses.entry(run.record.status().as_str()).or_insert(0) += 1;
        steps += run.record.all_steps().len();
        for entry in &run.journal {
            *kinds.entry(entry.event.kind.name()).or_insert(0) += 1;
        }
        compared += 1;
        for broken in &run.broken {
            let e = seen
                .entry(broken.invariant.name())
                .or_insert((0, seed, broken.what.clone()));
            e.0 += 1;
        }
    }
    println!("{statuses:?}\n{kinds:?}\nsteps {steps} of {compared}");
    for (name, (count, seed, what)) in seen {
        println!("{name}: {count}, first {seed}: {what}");
    }
    if n > 0 && std::env::var("MUT").is_ok() {
        for m in plan_testkit::simulate::Mutant::ALL {
            let mut by: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
            for seed in 0..200 {
                let run = subject(seed).simulation.mutant(m).untraced().run_twice();
                let names: std::collections::BTreeSet<&str> =
                    run.broken.iter().map(|b| b.invariant.name()).collect();
                for name in names {
                    by.entry(name).or_insert((0, seed)).0 += 1;
                }
            }
            println!("{m:?}: {by:?}");
        }
    }
}
