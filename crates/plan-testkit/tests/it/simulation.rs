//! Runs in a made-up world: what holds in every run holds in all of them.

use plan_testkit::simulate::subject;

/// So many runs where nothing else is said.
const RUNS: u64 = 2_000;

fn wanted(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn all_sound(seeds: std::ops::Range<u64>) {
    let broken = seeds.into_iter().find_map(|seed| subject(seed).verdict());
    if let Some(broken) = broken {
        panic!("{broken}");
    }
}

#[test]
fn thousands_of_runs_are_sound() {
    all_sound(0..wanted("PLANWRIGHT_RUNS").unwrap_or(RUNS) / 2);
}

#[test]
fn one_seed() {
    let seed = wanted("PLANWRIGHT_SEED").unwrap_or(7);
    let run = subject(seed).simulation.run_twice();
    if wanted("PLANWRIGHT_SEED").is_some() {
        println!("{run}");
    }
    run.assert_sound();
}
