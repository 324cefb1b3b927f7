//! The tracker through the suite that holds for every provider.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};

use worldspace_model::{Record, Value};
use worldspace_testkit::suite::{self, Sample, Subject};

use crate::world::World;

type Doing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What another program does to the file. `#` is a number that no other time has.
fn doing(sql: &'static str) -> impl Fn(World) -> Doing + Send + Sync + 'static {
    static TIMES: AtomicU64 = AtomicU64::new(0);
    move |world: World| {
        let sql = sql.replace('#', &TIMES.fetch_add(1, Ordering::Relaxed).to_string());
        let work = move || world.sql(&sql);
        Box::pin(async move { tokio::task::spawn_blocking(work).await.unwrap() })
    }
}

fn on(path: &str, operation: &str) -> Sample {
    let interface = match operation {
        "comment" | "comments" => "commentable",
        _ if path == "/" => "tracker.search",
        _ if path.matches('/').count() == 1 => "project.issues",
        _ => "issue.lifecycle",
    };
    Sample::of(path, interface, operation)
}

fn comments(metadata: &Value) -> usize {
    let count = metadata.as_record().and_then(|record: &Record| record.get("comments"));
    count.and_then(Value::as_integer).and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}

fn tracker() -> Subject<World> {
    Subject::new("a tracker", || async {
        let world = World::small();
        // Counts the changes of a text, so that each effect of an edit can be seen.
        world.sql(
            "CREATE TRIGGER counted AFTER UPDATE OF body ON issues BEGIN
                INSERT INTO comments (project_id, issue_id, author, text) VALUES (NEW.project_id, NEW.id, 'x', 'x'); END",
        );
        (world.tracker().provider().unwrap(), world)
    })
    .object("/")
    .leaf("/garden")
    .leaf("/house")
    .unlisted("/garden/1")
    .unlisted("/garden/4")
    .absent("/nothing")
    .absent("/Garden")
    .absent("/garden/5")
    .absent("/garden/0")
    .absent("/garden/01")
    .absent("/garden/+1")
    .absent("/garden/one")
    .absent("/garden/1/1")
    .absent("/house/1")
    .identities()
    .states()
    .reading(on("/", "search").with("text", "roses"))
    .reading(on("/garden", "search").with("text", "hose"))
    .reading(on("/garden", "list"))
    .reading(on("/garden", "comments"))
    .reading(on("/garden/1", "read_body"))
    .reading(on("/garden/1", "get_related_items"))
    .reading(on("/garden/1", "comments"))
    .adding(on("/garden/1", "edit").with("body", "It leaks."), on("/garden/1", "get_metadata"), comments)
    .writing(on("/garden/1", "edit").with("title", "Water everywhere"))
    .writing(on("/garden/2", "assign").with("to", "ann"))
    .writing(on("/garden/2", "close").with("reason", "done").with("note", "Mended."))
    .writing(on("/garden/4", "reopen"))
    .writing(on("/garden/1", "comment").with("text", "Any news?"))
    .writing(on("/garden", "comment").with("text", "It rains."))
    .writing(on("/garden", "create").with("title", "Weeds").with("body", ""))
    .refusing(on("/", "search").with("text", " \" "))
    .refusing(on("/garden", "list").with("limit", Value::count(0)))
    .refusing(on("/garden", "list").with("cursor", "none of its own"))
    .refusing(on("/garden", "create").with("title", " ").with("body", ""))
    .refusing(on("/garden/1", "edit"))
    .refusing(on("/garden/1", "edit").with("title", "two\nlines"))
    .refusing(on("/garden/1", "comment").with("text", ""))
    .disturbing("/garden", doing("UPDATE projects SET description = 'Beds, #.' WHERE name = 'garden'"))
    .disturbing("/garden/1", doing("UPDATE issues SET body = '#' WHERE id = 1"))
    .disturbing("/garden/2", doing("INSERT INTO labels VALUES (2, 'x#')"))
    .replacing(
        "/house",
        doing("DELETE FROM projects WHERE name = 'house'; INSERT INTO projects (name, description) VALUES ('house', '#')"),
    )
    .replacing(
        "/garden/4",
        doing(
            "DELETE FROM issues WHERE id = 4;
             INSERT INTO issues (id, project_id, number, title, body, author) VALUES (4, 1, 4, 'Another', '#', 'ann')",
        ),
    )
    .moving("/garden/4", "/house/4", doing("UPDATE issues SET project_id = 2 WHERE id = 4"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tracker_holds_what_every_provider_must() {
    suite::run(&tracker()).await.assert();
}
