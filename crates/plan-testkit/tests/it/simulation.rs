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
fn the_same_seed_gives_the_same_trace() {
    for seed in 0..10 {
        let once = subject(seed).simulation.run();
        assert_eq!(once.to_string(), subject(seed).simulation.run().to_string());
    }
}

#[test]
fn another_order_is_another_trace_of_the_same_results() {
    let orders = (0..20).map(|seed| {
        let simulation = subject(seed).simulation;
        let one = simulation.clone().run().trace;
        usize::from(one != simulation.order(1).run().trace)
    });
    assert!(orders.sum::<usize>() > 10);
}
