//! Which names are close to one that is not known.

/// The names that are close to `name`, the closest first, at most twenty.
///
/// Close is: equal but for case, blanks and separators, or within a third of
/// its length in edits (Damerau's optimal string alignment). Ties keep the
/// order in which the names were given.
pub(crate) fn closest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = folded(name);
    let most = match wanted.len() {
        0..3 => 0,
        length => (length / 3).min(8),
    };
    let mut close: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|known| known.len() <= 256)
        .filter_map(|known| Some((distance(&wanted, &folded(known), most)?, known)))
        .collect();
    close.sort_by_key(|(distance, _)| *distance);
    close.truncate(crate::finding::MOST_CANDIDATES);
    close.into_iter().map(|(_, known)| known).collect()
}

/// The close names first, then the others in their order, at most twenty.
pub(crate) fn ranked<'n>(
    name: &str,
    names: impl IntoIterator<Item = &'n str> + Clone,
) -> Vec<&'n str> {
    let mut ranked = closest(name, names.clone());
    for known in names {
        if ranked.len() >= crate::finding::MOST_CANDIDATES {
            break;
        }
        if !ranked.contains(&known) {
            ranked.push(known);
        }
    }
    ranked
}

/// The name without what people get wrong most.
fn folded(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| !matches!(c, ' ' | '_' | '-' | '.'))
        .flat_map(char::to_lowercase)
        .take(256)
        .collect()
}

/// The optimal string alignment distance, `None` past `most`.
fn distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut previous_a = None;
    for (i, &ca) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        let mut previous_b = None;
        let (mut left, mut lowest) = (i + 1, i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let up = last.get(j + 1).copied().unwrap_or(usize::MAX);
            let corner = last.get(j).copied().unwrap_or(usize::MAX);
            let mut cost = (corner + usize::from(ca != cb)).min(up + 1).min(left + 1);
            if previous_a == Some(cb) && previous_b == Some(ca) {
                let swapped = j.checked_sub(1).and_then(|j| before.get(j));
                cost = swapped.map_or(cost, |swapped| cost.min(swapped + 1));
            }
            row.push(cost);
            left = cost;
            lowest = lowest.min(cost);
            previous_b = Some(cb);
        }
        if lowest > most && before.iter().min().is_none_or(|low| *low > most) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
        previous_a = Some(ca);
    }
    last.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_comes_first() {
        assert_eq!(
            closest("fetch_pgae", ["fetch", "fetch_page", "fetch_pages", "send"]),
            ["fetch_page", "fetch_pages"]
        );
    }

    #[test]
    fn case_blanks_and_separators_do_not_count() {
        assert_eq!(closest("Fetch Page", ["fetch_page"]), ["fetch_page"]);
        assert_eq!(closest("fetchPage", ["fetch-page"]), ["fetch-page"]);
    }

    #[test]
    fn nothing_is_close_to_something_else() {
        assert!(closest("send_mail", ["fetch", "list"]).is_empty());
    }

    #[test]
    fn ranked_names_are_all_of_them() {
        assert_eq!(ranked("depth", ["x", "dept", "y"]), ["dept", "x", "y"]);
    }
}
