//! Types that contain each other.

use std::collections::{HashMap, VecDeque};

use crate::source::Span;

/// What a type names, and where. A target is a position in the list of types.
pub(super) type Edges = Vec<(u32, Span)>;

/// A type of a circle, and where it names the next one.
pub(super) type Circle = Vec<(u32, Span)>;

/// One circle, a shortest one from its first type, for each set of types that contain each other; and all members of
/// those sets. The work is that of the edges, and nothing recurs.
pub(super) fn cycles(graph: &[Edges]) -> (Vec<Circle>, Vec<u32>) {
    let mut circles = Vec::new();
    let mut all = Vec::new();
    for mut group in groups(graph) {
        group.sort_unstable();
        let Some(first) = group.first().copied() else { continue };
        if let Some(circle) = shortest(graph, &group, first) {
            circles.push(circle);
            all.extend(group);
        }
    }
    circles.sort_by_key(|circle| circle.first().map(|(node, _)| *node));
    (circles, all)
}

fn edges(graph: &[Edges], node: u32) -> &[(u32, Span)] {
    graph.get(node as usize).map_or(&[], Vec::as_slice)
}

/// A shortest way from a type back to itself.
fn shortest(graph: &[Edges], group: &[u32], first: u32) -> Option<Circle> {
    let mut led: HashMap<u32, (u32, Span)> = HashMap::new();
    let mut queue = VecDeque::from([first]);
    while let Some(node) = queue.pop_front() {
        for (target, span) in edges(graph, node) {
            if *target == first {
                let mut circle = vec![(node, *span)];
                let mut at = node;
                while at != first {
                    let (from, span) = *led.get(&at)?;
                    circle.push((from, span));
                    at = from;
                }
                circle.reverse();
                return Some(circle);
            }
            if group.binary_search(target).is_ok() && !led.contains_key(target) {
                led.insert(*target, (node, *span));
                queue.push_back(*target);
            }
        }
    }
    None
}

/// Sets of types each of which leads to each other (Tarjan), single ones included.
fn groups(graph: &[Edges]) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let mut low = vec![NEW; graph.len()];
    let mut found = vec![NEW; graph.len()];
    let mut kept = Vec::new();
    let mut groups = Vec::new();
    let mut count = 0;
    for start in 0..graph.len() as u32 {
        if found[start as usize] != NEW {
            continue;
        }
        let mut open = vec![(start, 0)];
        while let Some((node, next)) = open.last_mut() {
            let (at, node) = (*node as usize, *node);
            if *next == 0 {
                (found[at], low[at]) = (count, count);
                count += 1;
                kept.push(node);
            }
            let Some((target, _)) = edges(graph, node).get(*next).copied() else {
                open.pop();
                if let Some((above, _)) = open.last() {
                    let above = *above as usize;
                    low[above] = low[above].min(low[at]);
                }
                if low[at] == found[at] {
                    let from = kept.iter().rposition(|kept| *kept == node).unwrap_or(0);
                    let group = kept.split_off(from);
                    group.iter().for_each(|member| found[*member as usize] = DONE);
                    groups.push(group);
                }
                continue;
            };
            *next += 1;
            match found.get(target as usize).copied() {
                Some(NEW) => open.push((target, 0)),
                Some(DONE) | None => {}
                Some(at_target) => low[at] = low[at].min(at_target),
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    fn found(graph: &[&[u32]]) -> (Vec<Vec<u32>>, Vec<u32>) {
        let file = Sources::default().add(String::new(), String::new());
        let edges = |targets: &&[u32]| targets.iter().map(|to| (*to, Span::new(file, 0, 0))).collect();
        let graph: Vec<Edges> = graph.iter().map(edges).collect();
        let (circles, mut all) = cycles(&graph);
        all.sort_unstable();
        (circles.iter().map(|circle| circle.iter().map(|(node, _)| *node).collect()).collect(), all)
    }

    #[test]
    fn each_set_of_types_gives_its_shortest_circle() {
        assert_eq!(found(&[&[1], &[2], &[]]), (vec![], vec![]));
        assert_eq!(found(&[&[0]]), (vec![vec![0]], vec![0]));
        assert_eq!(found(&[&[1], &[2, 0], &[0]]), (vec![vec![0, 1]], vec![0, 1, 2]));
        assert_eq!(found(&[&[1], &[2], &[1, 3], &[3]]), (vec![vec![1, 2], vec![3]], vec![1, 2, 3]));
    }

    #[test]
    fn a_long_chain_does_not_recur() {
        let targets: Vec<[u32; 1]> = (0..100_000).map(|at| [(at + 1) % 100_000]).collect();
        let graph: Vec<&[u32]> = targets.iter().map(|targets| &targets[..]).collect();
        assert_eq!(found(&graph).1.len(), 100_000);
    }
}
