//! What stands where: the database, its tables and views, and their rows.

use worldspace_host::{Identity, LocalPath, Page, ProviderError, Published, StateToken};
use worldspace_model::Segment;

use super::catalog::{Kind, Listed};
use super::declare::{Declared, Place};
use super::describe;
use super::engine::Session;
use super::key::RowKey;
use super::names::segment_of;
use super::shape::LONGEST;

/// The Object at a path.
pub(super) fn object(
    session: &mut dyn Session,
    declared: &Declared,
    path: &LocalPath,
) -> Result<Published, ProviderError> {
    match Place::of(path).ok_or(ProviderError::NotFound)? {
        Place::Database => Ok(database(declared).in_state(schema_state(session))),
        Place::Relation(name) => {
            let listed = listed(session, &name)?;
            relation(session, declared, &listed)
        }
        Place::Row(name, segment) => {
            let listed = listed(session, &name)?;
            let shape = declared.shape(session, &name)?.ok_or(ProviderError::NotFound)?;
            let key = RowKey::parse(&shape.relation, segment.as_str()).ok_or(ProviderError::NotFound)?;
            let (found, state) = shape.row(session, &key, LONGEST)?.ok_or(ProviderError::NotFound)?;
            let lists = declared.lists(session.stamp(), &name, listed.kind)?;
            let mut published = Published::new().publishing(&lists.row).in_state(state).leaf();
            // The database may give the number that tells a row to another row.
            if !matches!(key, RowKey::Rowid(_)) {
                published = published.identified(Identity::new(format!("row:{}", path.as_str())));
            }
            Ok(match describe::row(&shape.relation, &found) {
                Some(words) => published.described(words),
                None => published,
            })
        }
    }
}

/// The database itself, in a state that is not known.
pub(super) fn database(declared: &Declared) -> Published {
    Published::new()
        .described(declared.dialect.database)
        .publishing(declared.of_database())
        .identified(Identity::new("database"))
}

/// Stands for the schema: which tables and views there are, and their columns.
pub(super) fn schema_state(session: &dyn Session) -> StateToken {
    StateToken::new(&session.stamp()[..16])
}

fn listed(session: &mut dyn Session, name: &str) -> Result<Listed, ProviderError> {
    let list = session.list()?;
    let at = list.binary_search_by(|listed| (*listed.name).cmp(name)).map_err(|_| ProviderError::NotFound)?;
    Ok(list[at].clone())
}

fn relation(
    session: &mut dyn Session,
    declared: &Declared,
    listed: &Listed,
) -> Result<Published, ProviderError> {
    let lists = declared.lists(session.stamp(), &listed.name, listed.kind)?;
    Ok(Published::new()
        .described(listed.kind.words())
        .publishing(&lists.relation)
        .identified(Identity::new(format!(
            "{}:{}",
            if listed.kind == Kind::View { "view" } else { "table" },
            listed.name
        )))
        .in_state(schema_state(session))
        .leaf())
}

/// The tables and views, or no children at all: rows are found by `query`.
pub(super) fn children(
    session: &mut dyn Session,
    declared: &Declared,
    path: &LocalPath,
    after: Option<&Segment>,
    most: usize,
) -> Result<Page, ProviderError> {
    match Place::of(path).ok_or(ProviderError::NotFound)? {
        Place::Database => {
            let list = session.list()?;
            let mut named: Vec<(Segment, &Listed)> =
                list.iter().filter_map(|listed| Some((segment_of(&listed.name)?, listed))).collect();
            // Escapes change the order.
            named.sort_by(|(a, _), (b, _)| a.cmp(b));
            let start = after.map_or(0, |after| named.partition_point(|(name, _)| name <= after));
            let part = named.iter().skip(start).take(most);
            let children =
                part.map(|(name, listed)| Ok((name.clone(), relation(session, declared, listed)?)));
            let children = children.collect::<Result<Vec<_>, ProviderError>>()?;
            let more = named.len() > start + children.len();
            Ok(Page::by_name(children, more))
        }
        _ => object(session, declared, path).map(|_| Page::empty()),
    }
}
