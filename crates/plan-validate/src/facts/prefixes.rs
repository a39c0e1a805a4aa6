//! Things that are filed under paths, and found by any path that leads into them.

use plan_model::{Path, Root, Segment};

/// A path without its allocations.
type Key<'a> = (&'a Root, &'a [Segment]);

/// Things by the path that they are filed under.
#[derive(Debug)]
pub(super) struct Prefixes<'a, T> {
    /// In the order of their paths.
    rows: Vec<Row<'a, T>>,
}

#[derive(Debug)]
struct Row<'a, T> {
    path: Key<'a>,
    things: Vec<T>,
    /// The row of the longest path that this one leads into.
    around: Option<usize>,
}

impl<'a, T> Prefixes<'a, T> {
    /// Files each thing under its path.
    pub(super) fn new(things: impl IntoIterator<Item = (&'a Path, T)>) -> Self {
        let mut all: Vec<(Key<'a>, T)> = things
            .into_iter()
            .map(|(path, thing)| (key(path), thing))
            .collect();
        all.sort_by_key(|(path, _)| *path);
        let mut rows: Vec<Row<'a, T>> = Vec::new();
        for (path, thing) in all {
            if let Some(last) = rows.last_mut().filter(|last| last.path == path) {
                last.things.push(thing);
                continue;
            }
            let mut around = rows.len().checked_sub(1);
            while let Some(row) = around.and_then(|at| rows.get(at))
                && !holds(row.path, path)
            {
                around = row.around;
            }
            rows.push(Row {
                path,
                things: vec![thing],
                around,
            });
        }
        Self { rows }
    }

    /// Everything that is filed under a path which holds what is at `path`.
    ///
    /// What holds it is the last row that does not come after it, or is around that row: rows between a path
    /// and what is inside it are inside it too.
    pub(super) fn around<'s>(&'s self, path: &'s Path) -> impl Iterator<Item = &'s T> {
        let path = key(path);
        let last = self.rows.partition_point(|row| row.path <= path);
        std::iter::successors(last.checked_sub(1), |at| self.rows.get(*at)?.around)
            .filter_map(|at| self.rows.get(at))
            .filter(move |row| holds(row.path, path))
            .flat_map(|row| &row.things)
    }
}

fn key(path: &Path) -> Key<'_> {
    (&path.root, &path.segments)
}

fn holds((root, whole): Key<'_>, (other, part): Key<'_>) -> bool {
    root == other && part.starts_with(whole)
}

#[cfg(test)]
mod tests {
    use plan_model::Reference;

    use super::*;

    fn path(text: &str) -> Path {
        Reference::parse(text).unwrap().first().clone()
    }

    #[test]
    fn a_path_finds_what_is_filed_under_it_and_around_it() {
        let filed = [
            "input.a",
            "step.s.x",
            "step.s.x.y",
            "step.s.x.y",
            "step.s.x.y.z",
            "step.s.xx",
            "step.s[0]",
            "step.t",
        ];
        let paths = filed.map(path);
        let prefixes = Prefixes::new(paths.iter().zip(filed));
        for (text, expected) in [
            ("step.s", vec![]),
            ("step.s.x", vec!["step.s.x"]),
            ("step.s.x.a.b", vec!["step.s.x"]),
            ("step.s.x.y", vec!["step.s.x", "step.s.x.y", "step.s.x.y"]),
            ("step.s.x.yy", vec!["step.s.x"]),
            (
                "step.s.x.y.zz",
                vec!["step.s.x", "step.s.x.y", "step.s.x.y"],
            ),
            ("step.s.xx.y", vec!["step.s.xx"]),
            ("step.s.w", vec![]),
            ("step.s[0].x", vec!["step.s[0]"]),
            ("step.t.x", vec!["step.t"]),
            ("input.a", vec!["input.a"]),
            ("input.b", vec![]),
        ] {
            let path = path(text);
            let mut found: Vec<&str> = prefixes.around(&path).copied().collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
    }
}
