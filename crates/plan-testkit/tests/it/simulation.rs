//! Runs in a made-up world: what holds in every run holds in all of them.

mod mutants;

use plan_testkit::simulate::{Coverage, subject};

/// So many runs where nothing else is said.
const RUNS: u64 = 2_000;

fn wanted(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs subjects on every core; each subject is two runs. What they have seen, or the first that broke something.
fn first_broken(subjects: u64) -> Result<Coverage, String> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = subjects.div_ceil(u64::try_from(cores).unwrap());
    std::thread::scope(|scope| {
        let mut shares = Vec::new();
        for from in (0..subjects).step_by(usize::try_from(share.max(1)).unwrap()) {
            let seeds = from..(from + share).min(subjects);
            shares.push(scope.spawn(|| seen(seeds)));
        }
        let mut all = Coverage::default();
        for share in shares {
            all.merge(share.join().unwrap()?);
        }
        Ok(all)
    })
}

fn seen(seeds: std::ops::Range<u64>) -> Result<Coverage, String> {
    let mut coverage = Coverage::default();
    for seed in seeds {
        let subject = subject(seed);
        let run = subject.simulation.clone().untraced().run_twice();
        if !run.broken.is_empty() {
            return Err(subject.verdict().unwrap_or_default());
        }
        coverage.take(&subject.simulation, &run);
    }
    Ok(coverage)
}

#[test]
fn thousands_of_runs_are_sound_and_get_everywhere() {
    let runs = wanted("PLANWRIGHT_RUNS").unwrap_or(RUNS);
    match first_broken(runs / 2) {
        Err(broken) => panic!("{broken}"),
        Ok(coverage) => {
            println!("{coverage}");
            assert!(
                runs < RUNS || coverage.missing().is_empty(),
                "{:?}",
                coverage.missing()
            );
        }
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
