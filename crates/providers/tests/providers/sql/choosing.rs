//! Every value of every odd row finds its row again, as the value that it is.

use worldspace_model::{EntryPath, Value};

use super::databases::{names, torture};
use super::whole::{LARGE, Seen, entry_of, relations, seen};

/// Columns and rows of a table that are tried; the first ones tell enough.
const COLUMNS: usize = 24;
const ROWS: usize = 45;

/// `where` with one condition.
fn only(case: &str, payload: Value) -> Value {
    let list = |item| Value::list(vec![item]).unwrap();
    list(list(Value::case(case, Some(payload)).unwrap()))
}

fn equal(value: &Value) -> Value {
    Value::case("equal", Some(value.clone())).unwrap()
}

/// The same for a value in the exact form.
fn exactly(column: &str, value: &Value) -> Value {
    let test = match value {
        Value::Unit => Value::case("null", None).unwrap(),
        value => equal(value),
    };
    let column = Value::record([("column", Some(Value::from(column))), ("test", Some(test))]);
    only("exact", column.unwrap())
}

/// Why a filter does not give the row, if so.
async fn finds(seen: &Seen, table: &EntryPath, row: &EntryPath, filter: Value) -> Result<(), String> {
    let limit = ("limit", Value::count(1_000));
    let page = seen.call(table, "query", vec![("where", filter.clone()), limit]).await?;
    let rows = page.as_record().unwrap().get("rows").and_then(Value::as_list).unwrap().to_vec();
    if !rows.iter().filter_map(entry_of).any(|entry| entry == *row) {
        return Err(format!("{row} is not found by {filter:?}"));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_value_of_each_odd_row_finds_it_in_either_form() {
    let seen = seen(false, torture::make);
    let relations = relations(&seen).await;
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for table in names(&seen.copy.connect()) {
        let Some(entry) = relations.get(&table) else { continue };
        // One has a column that is called as the condition in the exact form is.
        if LARGE.contains(&&*table) || table == "own words" {
            continue;
        }
        let Ok(rows) = seen.rows(entry, "query", 1_000).await else { continue };
        for (row, shown) in rows.iter().take(ROWS).filter_map(|row| Some((entry_of(row)?, row.as_record()?)))
        {
            let exact = seen.call(&row, "read_exact", Vec::new()).await.unwrap();
            for (column, value) in exact.as_record().unwrap().fields().iter().take(COLUMNS) {
                wrong.extend(finds(&seen, entry, &row, exactly(column, value)).await.err());
                let typed = shown.get("row").and_then(|typed| typed.as_record()?.get(column));
                if let Some(value) = typed {
                    wrong.extend(finds(&seen, entry, &row, only(column, equal(value))).await.err());
                }
                tried += 1;
            }
            let typed = shown.get("row").and_then(Value::as_record);
            let references = typed.map(|typed| typed.fields()).unwrap_or_default();
            for (name, target) in references.iter().filter(|(_, value)| value.as_entry().is_some()) {
                // Where what is referred to is not there, nothing refers to it.
                if seen.is_there(target.as_entry().unwrap()).await {
                    wrong.extend(finds(&seen, entry, &row, only(name, target.clone())).await.err());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 1_000, "{tried} values");
}
