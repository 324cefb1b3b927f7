//! The database of a shop for gardeners, the same data each time it is made.
//!
//! | table or view | what stands in it | key | refers to |
//! | --- | --- | --- | --- |
//! | `categories` | what kinds of products there are | `id` | `categories` (the one above) |
//! | `products` | what is sold; a few have a photo, some are sold no more | `id` | `categories` |
//! | `customers` | who buys, and in which country; not everyone has an e-mail address | `id` | |
//! | `employees` | who works there | `id` | `employees` (the manager) |
//! | `orders` | who ordered when, from 2025-11-01 to 2026-10-31, and who saw to it | `id` | `customers`, `employees` |
//! | `order_lines` | what was ordered; `total` is generated | `order_id`, `product_id` | `orders`, `products` |
//! | `reviews` | what customers say of products | none | `products`, `customers` |
//! | `sales` | a view: who bought what and when, without what was cancelled | | |
//!
//! As databases that have been in use for a while, it has one reference that leads nowhere: an order names an employee who is
//! gone. It was written with foreign keys off.

use std::path::Path;

use rusqlite::{Connection, Transaction, params};

const SCHEMA: &str = "
CREATE TABLE categories (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    parent_id INTEGER REFERENCES categories (id)
);
CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    category_id INTEGER NOT NULL REFERENCES categories (id),
    price REAL NOT NULL CHECK (price >= 0),
    discontinued BOOLEAN NOT NULL DEFAULT 0,
    photo BLOB
);
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT UNIQUE,
    country TEXT NOT NULL,
    since DATE NOT NULL,
    notes TEXT
);
CREATE TABLE employees (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    manager_id INTEGER REFERENCES employees (id)
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    employee_id INTEGER REFERENCES employees (id),
    ordered_on DATE NOT NULL,
    status TEXT NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'paid', 'shipped', 'returned', 'cancelled'))
);
CREATE TABLE order_lines (
    order_id INTEGER NOT NULL REFERENCES orders (id),
    product_id INTEGER NOT NULL REFERENCES products (id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unit_price REAL NOT NULL,
    total REAL GENERATED ALWAYS AS (round(quantity * unit_price, 2)) VIRTUAL,
    PRIMARY KEY (order_id, product_id)
) WITHOUT ROWID;
CREATE TABLE reviews (
    product_id INTEGER NOT NULL REFERENCES products (id),
    customer_id INTEGER REFERENCES customers (id),
    stars INTEGER NOT NULL CHECK (stars BETWEEN 1 AND 5),
    text TEXT,
    written_on DATE NOT NULL
);
CREATE INDEX products_category ON products (category_id);
CREATE INDEX customers_country ON customers (country);
CREATE INDEX orders_customer ON orders (customer_id);
CREATE INDEX orders_employee ON orders (employee_id);
CREATE INDEX orders_day ON orders (ordered_on);
CREATE INDEX order_lines_product ON order_lines (product_id);
CREATE INDEX reviews_product ON reviews (product_id);
CREATE INDEX reviews_customer ON reviews (customer_id);
CREATE VIEW sales AS
    SELECT customers.name AS customer, customers.country, products.name AS product, orders.ordered_on,
        order_lines.quantity, order_lines.total
    FROM order_lines
    JOIN orders ON orders.id = order_lines.order_id
    JOIN customers ON customers.id = orders.customer_id
    JOIN products ON products.id = order_lines.product_id
    WHERE orders.status <> 'cancelled';
";

/// Each with the one above it.
const CATEGORIES: [(&str, Option<i64>); 10] = [
    ("Seeds", None),
    ("Tools", None),
    ("Pots", None),
    ("Books", None),
    ("Vegetable seeds", Some(1)),
    ("Herb seeds", Some(1)),
    ("Flower seeds", Some(1)),
    ("Hand tools", Some(2)),
    ("Watering", Some(2)),
    ("Balcony pots", Some(3)),
];

/// Category, name, price in cents.
const PRODUCTS: [(i64, &str, i64); 40] = [
    (5, "Tomato 'Black Cherry'", 349),
    (5, "Tomato 'Oxheart'", 349),
    (5, "Carrot 'Nantes'", 249),
    (5, "Pea 'Early Onward'", 299),
    (5, "Runner bean 'Scarlet Emperor'", 325),
    (5, "Courgette 'Defender'", 379),
    (5, "Lettuce 'Little Gem'", 229),
    (5, "Beetroot 'Boltardy'", 239),
    (5, "Leek 'Musselburgh'", 259),
    (5, "Pumpkin 'Uchiki Kuri'", 399),
    (6, "Basil", 219),
    (6, "Thyme", 219),
    (6, "Parsley", 199),
    (6, "Dill", 199),
    (6, "Chives", 209),
    (7, "Sunflower 'Velvet Queen'", 289),
    (7, "Sweet pea, mixed", 279),
    (7, "Cornflower", 239),
    (7, "Nasturtium", 249),
    (7, "Meadow mix, 100 m²", 2490),
    (8, "Hand trowel", 1290),
    (8, "Hand fork", 1290),
    (8, "Dibber", 790),
    (8, "Secateurs", 3490),
    (8, "Grafting knife", 2850),
    (8, "Gloves, leather", 1890),
    (2, "Spade", 4490),
    (2, "Rake", 3290),
    (2, "Wheelbarrow", 11900),
    (9, "Watering can, 10 l", 2690),
    (9, "Hose, 25 m", 3990),
    (9, "Rain gauge", 1190),
    (10, "Window box, 80 cm", 1790),
    (10, "Hanging basket", 1590),
    (3, "Clay pot, 20 cm", 690),
    (3, "Clay pot, 30 cm", 1190),
    (3, "Seed tray with lid", 1450),
    (4, "The Kitchen Garden, Month by Month", 2495),
    (4, "Pruning Without Fear", 1895),
    (4, "A Year of Bees", 2195),
];

/// How many customers a country has, and how they are called.
const COUNTRIES: [(&str, usize, [&str; 4], [&str; 4]); 10] = [
    ("Germany", 12, ["Anna", "Jonas", "Lena", "Felix"], ["Weber", "Krüger", "Hoffmann", "Vogt"]),
    ("France", 9, ["Camille", "Hugo", "Inès", "Luc"], ["Moreau", "Lefèvre", "Girard", "Petit"]),
    ("Portugal", 8, ["Beatriz", "João", "Marta", "Rui"], ["Silva", "Carvalho", "Nunes", "Teixeira"]),
    ("Netherlands", 7, ["Sanne", "Daan", "Femke", "Bram"], ["de Vries", "Bakker", "Visser", "Smit"]),
    ("Poland", 6, ["Zofia", "Jakub", "Hanna", "Piotr"], ["Nowak", "Wójcik", "Mazur", "Kaczmarek"]),
    ("Norway", 5, ["Ingrid", "Lars", "Solveig", "Eirik"], ["Haugen", "Bakke", "Moen", "Strand"]),
    ("Italy", 5, ["Giulia", "Marco", "Elena", "Paolo"], ["Ricci", "Greco", "Fontana", "Moretti"]),
    ("Ireland", 4, ["Aoife", "Conor", "Niamh", "Declan"], ["Murphy", "O'Brien", "Walsh", "Byrne"]),
    ("Canada", 2, ["Emily", "Noah", "Chloe", "Liam"], ["Tremblay", "Fraser", "Roy", "MacLeod"]),
    ("Japan", 2, ["Yuki", "Haruto", "Sakura", "Ren"], ["Sato", "Tanaka", "Mori", "Ishikawa"]),
];

/// Of all countries.
const CUSTOMERS: i64 = 60;

/// Each with the manager.
const EMPLOYEES: [(&str, Option<i64>); 8] = [
    ("Ruth Adler", None),
    ("Tom Okafor", Some(1)),
    ("Mina Larsen", Some(1)),
    ("Pavel Dvorak", Some(2)),
    ("Sofia Reyes", Some(2)),
    ("Jan Peeters", Some(3)),
    ("Leila Haddad", Some(3)),
    ("Owen Price", Some(6)),
];

/// The number of an employee who is not there.
const GONE: i64 = 9;

const NOTES: [&str; 4] = [
    "Leave parcels with the neighbour at number 12.",
    "Asks for paper invoices.",
    "Runs the allotment society; orders for several people.",
    "Allergic to lupins.\nDo not send samples.",
];

const REVIEWS: [(i64, Option<&str>); 8] = [
    (5, Some("Every one of them came up.")),
    (4, Some("Good, but smaller than in the picture.")),
    (5, Some("Would buy again.")),
    (2, Some("Arrived broken.\nThe new one was fine.")),
    (4, None),
    (3, Some("Does what it should.")),
    (5, None),
    (1, Some("Slugs ate everything.")),
];

const ORDERS: usize = 400;
/// How many of the orders are of October 2026, so that "last month" has something to tell.
const OF_OCTOBER: usize = 70;
/// The days from 2025-11-01 on which orders came in, and the first of them that is in October 2026.
const DAYS: i64 = 365;
const OCTOBER: i64 = 334;

/// Makes the shop in a file that is empty or not there; what it holds, in words.
pub(crate) fn make(path: &Path) -> rusqlite::Result<String> {
    let mut connection = Connection::open(path)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    let mut numbers = Numbers(20_261_101);
    insert_goods(&transaction)?;
    insert_people(&transaction, &mut numbers)?;
    let lines = insert_orders(&transaction, &mut numbers)?;
    insert_reviews(&transaction, &mut numbers)?;
    transaction.commit()?;
    let products = PRODUCTS.len();
    Ok(format!("{CUSTOMERS} customers, {products} products, {ORDERS} orders with {lines} lines"))
}

fn insert_goods(shop: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut insert = shop.prepare("INSERT INTO categories (name, parent_id) VALUES (?1, ?2)")?;
    for (name, parent) in CATEGORIES {
        insert.execute(params![name, parent])?;
    }
    let mut insert = shop.prepare(
        "INSERT INTO products (name, category_id, price, discontinued, photo) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (at, (category, name, cents)) in (0_u8..).zip(PRODUCTS) {
        let photo = (at % 8 == 0).then(|| dot([200 - at, 100 + at, 40]));
        insert.execute(params![name, category, euros(cents), at % 13 == 12, photo])?;
    }
    Ok(())
}

fn insert_people(shop: &Transaction<'_>, numbers: &mut Numbers) -> rusqlite::Result<()> {
    let mut insert = shop.prepare("INSERT INTO employees (name, manager_id) VALUES (?1, ?2)")?;
    for (name, manager) in EMPLOYEES {
        insert.execute(params![name, manager])?;
    }
    let mut insert = shop.prepare(
        "INSERT INTO customers (name, email, country, since, notes)
         VALUES (?1, ?2, ?3, date('2019-01-01', format('+%d days', ?4)), ?5)",
    )?;
    for (country, customers, given, family) in COUNTRIES {
        for at in 0..customers {
            let (given, family) = (given[at % 4], family[(at + at / 4) % 4]);
            let email = (numbers.below(8) > 0).then(|| email(given, family));
            let notes = (numbers.below(10) == 0).then(|| numbers.one_of(&NOTES));
            let name = format!("{given} {family}");
            insert.execute(params![name, email, country, numbers.below(2_490), notes])?;
        }
    }
    Ok(())
}

/// How many lines all orders have.
fn insert_orders(shop: &Transaction<'_>, numbers: &mut Numbers) -> rusqlite::Result<usize> {
    let mut order = shop.prepare(
        "INSERT INTO orders (id, customer_id, employee_id, ordered_on, status)
         VALUES (?1, ?2, ?3, date('2025-11-01', format('+%d days', ?4)), ?5)",
    )?;
    let mut line = shop.prepare(
        "INSERT INTO order_lines (order_id, product_id, quantity, unit_price) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let mut days: Vec<i64> = (0..ORDERS)
        .map(|at| match at < OF_OCTOBER {
            true => OCTOBER + numbers.below(DAYS - OCTOBER),
            false => numbers.below(OCTOBER),
        })
        .collect();
    days.sort_unstable();
    let priced: Vec<(i64, i64)> = (1..).zip(PRODUCTS.map(|(.., cents)| cents)).collect();
    let mut lines = 0;
    for (id, day) in (1_i64..).zip(days) {
        // Some buy more often than others, and nobody saw to what was ordered by night.
        let customer = 1 + numbers.below(CUSTOMERS).min(numbers.below(CUSTOMERS));
        let employee = match id {
            137 => Some(GONE),
            _ => (numbers.below(6) > 0).then(|| 4 + numbers.below(5)),
        };
        order.execute(params![id, customer, employee, day, status(day, numbers)])?;
        let mut products: Vec<_> = (0..1 + numbers.below(4)).map(|_| numbers.one_of(&priced)).collect();
        products.sort_unstable();
        products.dedup();
        for (product, cents) in products {
            // Everything became dearer in March.
            let cents = if day < 120 { cents * 95 / 100 } else { cents };
            let quantity = 1 + numbers.below(3).min(numbers.below(6));
            line.execute(params![id, product, quantity, euros(cents)])?;
            lines += 1;
        }
    }
    Ok(lines)
}

/// Few orders are left open for long.
fn status(day: i64, numbers: &mut Numbers) -> &'static str {
    match (day, numbers.below(20)) {
        (_, 0) => "cancelled",
        (358.., 1..=12) => "new",
        (350.., 1..=10) => "paid",
        (0..350, 1) => "returned",
        _ => "shipped",
    }
}

fn insert_reviews(shop: &Transaction<'_>, numbers: &mut Numbers) -> rusqlite::Result<()> {
    let mut insert = shop.prepare(
        "INSERT INTO reviews (product_id, customer_id, stars, text, written_on)
         VALUES (?1, ?2, ?3, ?4, date('2026-01-01', format('+%d days', ?5)))",
    )?;
    for _ in 0..30 {
        let product = 1 + numbers.below(PRODUCTS.len() as i64);
        let customer = (numbers.below(5) > 0).then(|| 1 + numbers.below(CUSTOMERS));
        let (stars, text) = numbers.one_of(&REVIEWS);
        insert.execute(params![product, customer, stars, text, numbers.below(300)])?;
    }
    Ok(())
}

fn euros(cents: i64) -> f64 {
    cents as f64 / 100.0
}

fn email(given: &str, family: &str) -> String {
    let plain = |c: char| match c {
        'ã' => Some('a'),
        'è' => Some('e'),
        'ó' => Some('o'),
        'ü' => Some('u'),
        c => c.is_ascii_alphabetic().then(|| c.to_ascii_lowercase()),
    };
    let name = |name: &str| name.chars().filter_map(plain).collect::<String>();
    format!("{}.{}@example.org", name(given), name(family))
}

/// A picture of one dot of that colour (GIF).
fn dot(colour: [u8; 3]) -> Vec<u8> {
    let head = *b"GIF89a\x01\0\x01\0\x80\0\0";
    let image = *b"\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;";
    [&head[..], &colour, &image].concat()
}

/// Numbers that look random and are the same ones each time.
struct Numbers(u64);

impl Numbers {
    /// One of the numbers from 0 below that.
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The lower bits repeat soon.
        (self.0 >> 33).cast_signed() % bound
    }

    fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        things[usize::try_from(self.below(things.len() as i64)).unwrap_or(0)]
    }
}
