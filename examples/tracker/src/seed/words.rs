//! What the examples are made of.

/// Name, description, what it consists of, and when things go wrong there that go wrong nowhere else.
pub(super) const PROJECTS: [Project; 6] = [
    Project {
        name: "atlas",
        description: "Maps and routes for hikers, on phones and on the web.",
        parts: [
            "route planner",
            "offline map",
            "elevation profile",
            "GPX import",
            "compass",
            "place search",
            "track recorder",
            "weather layer",
            "tile cache",
            "shared route",
        ],
        whens: [
            "above the tree line",
            "near the date line",
            "on routes longer than 100 km",
            "inside tunnels",
            "while the phone is in a pocket",
            "after the map is turned by hand",
        ],
    },
    Project {
        name: "beacon",
        description: "Notifications: what is sent, to whom, when, and by which way.",
        parts: [
            "digest",
            "push sender",
            "quiet hours",
            "subscription page",
            "webhook",
            "SMS gateway",
            "template editor",
            "delivery log",
            "retry queue",
            "unsubscribe link",
        ],
        whens: [
            "for recipients in several time zones",
            "when a webhook answers with a redirect",
            "if the same event comes twice",
            "during the nightly run",
            "for deleted accounts",
            "when a template uses an unknown field",
        ],
    },
    Project {
        name: "courier",
        description: "The mail client.",
        parts: [
            "inbox",
            "message list",
            "attachment preview",
            "address book",
            "spam filter",
            "draft",
            "signature",
            "search folder",
            "calendar invitation",
            "IMAP synchronisation",
        ],
        whens: [
            "for messages with inline images",
            "when a mailbox is renamed on the server",
            "in threads of a hundred replies",
            "with encrypted messages",
            "when the sender has no name",
            "for attachments called `winmail.dat`",
        ],
    },
    Project {
        name: "harbor",
        description: "Builds, releases, and the machines that they run on.",
        parts: [
            "build queue",
            "artifact store",
            "deploy log",
            "rollback",
            "secret store",
            "health check",
            "runner image",
            "release notes",
            "pipeline editor",
            "staging cluster",
        ],
        whens: [
            "when two releases start at once",
            "if a runner disappears during a build",
            "for branches with a slash in the name",
            "after a certificate expired",
            "when the registry refuses the image",
            "with more than fifty parallel jobs",
        ],
    },
    Project {
        name: "ledger",
        description: "Invoices, payments, and the books.",
        parts: [
            "invoice",
            "payment reminder",
            "bank import",
            "tax report",
            "credit note",
            "exchange rate",
            "customer account",
            "annual statement",
            "direct debit",
            "receipt scanner",
        ],
        whens: [
            "for amounts in yen",
            "on the last day of the year",
            "when a customer has two accounts",
            "after a payment was split",
            "with a discount of 100 %",
            "if the bank sends a line twice",
        ],
    },
    Project {
        name: "lumen",
        description: "The photo editor.",
        parts: [
            "crop tool",
            "histogram",
            "RAW import",
            "layer panel",
            "export dialog",
            "undo history",
            "colour picker",
            "noise filter",
            "lens correction",
            "slideshow",
        ],
        whens: [
            "for panoramas",
            "with a pressure-sensitive pen",
            "on a second monitor with another profile",
            "for black-and-white pictures",
            "when a layer is hidden",
            "after rotating by 90 degrees",
        ],
    },
];

pub(super) struct Project {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) parts: [&'static str; 10],
    pub(super) whens: [&'static str; 6],
}

/// When things go wrong anywhere.
pub(super) const WHENS: [&str; 26] = [
    "on a slow connection",
    "in dark mode",
    "with a screen reader",
    "when the clock changes to summer time",
    "while two windows are open",
    "for names with umlauts",
    "without a network",
    "when the disk is full",
    "after the device wakes up",
    "in right-to-left languages",
    "at the second login",
    "for files larger than 2 GB",
    "when the battery is low",
    "with an empty list",
    "after permissions were taken back",
    "in private browsing",
    "after a backup was restored",
    "when the time zone is changed",
    "if the server answers late",
    "after an upgrade to {version}",
    "when the window is narrow",
    "with the keyboard alone",
    "if cookies are blocked",
    "when the session expires",
    "for guests",
    "after a double click",
];

pub(super) const PEOPLE: [&str; 24] = [
    "aisha", "anton", "bruno", "chiara", "dmitri", "elif", "emeka", "fatou", "greta", "hana", "ivo", "jun",
    "kofi", "lena", "mateo", "nadia", "noor", "olga", "pavel", "rosa", "sven", "tomas", "yuki", "zoe",
];

/// What the owner of the tracker is called, who can be given issues too.
pub(super) const OWNER: &str = "owner";

/// A kind of issue. `{part}` and `{when}` are put in, with a capital letter at the beginning of a sentence.
pub(super) struct Kind {
    pub(super) label: &'static str,
    /// Out of a hundred issues.
    pub(super) share: i64,
    pub(super) titles: &'static [&'static str],
    pub(super) openings: &'static [&'static str],
}

pub(super) const KINDS: [Kind; 6] = [
    Kind {
        label: "bug",
        share: 48,
        titles: &[
            "{part} crashes {when}",
            "{part} shows nothing {when}",
            "{part} hangs {when}",
            "{part} loses changes {when}",
            "Error {error} from the {part} {when}",
            "Wrong numbers in the {part} {when}",
            "{part} flickers {when}",
            "Cannot open the {part} {when}",
            "Buttons of the {part} do nothing {when}",
            "{part} ignores the settings {when}",
            "Text is cut off in the {part} {when}",
            "{part} forgets where it was {when}",
        ],
        openings: &[
            "Since {version} the {part} does not work {when}.",
            "Several customers wrote to us: the {part} fails {when}.",
            "I can make this happen each time: the {part} breaks {when}.",
            "It happens about once in {count} tries, {when}. Starting again helps for a while.",
            "This worked in the release before {version}. Now, {when}, the {part} cannot be used.",
            "Found while testing something else. It only happens {when}.",
        ],
    },
    Kind {
        label: "performance",
        share: 12,
        titles: &[
            "{part} is slow {when}",
            "{part} takes {count} seconds {when}",
            "Memory grows while the {part} is open {when}",
            "{part} uses a whole processor core {when}",
            "Loading the {part} reads everything twice {when}",
        ],
        openings: &[
            "With {count} thousand entries the {part} needs {count} seconds to appear, {when}.",
            "The profile shows most of the time in sorting, which the {part} does again for every line.",
            "It was {count} ms before {version}. The difference shows most {when}.",
            "Each time that the {part} is opened, some memory is not given back.",
        ],
    },
    Kind {
        label: "feature",
        share: 24,
        titles: &[
            "Let the {part} be used {when}",
            "Keyboard shortcuts for the {part}",
            "Export the {part} as CSV",
            "Undo for the {part}",
            "Remember the last filter of the {part}",
            "Show a preview in the {part}",
            "Allow several people to edit the {part}",
            "Print the {part}",
            "Sort the {part} by date",
            "Tell what to do next {when} in the {part}",
        ],
        openings: &[
            "Our team uses the {part} every day. What is missing is a way to use it {when}.",
            "Asked for by {count} customers in the last survey.",
            "Other programs have this for years. It would save us a copy by hand each week.",
            "A first version may be small: one button in the {part} would do.",
        ],
    },
    Kind {
        label: "documentation",
        share: 7,
        titles: &[
            "Explain what the {part} does {when}",
            "Example for the {part} is out of date",
            "Screenshots of the {part} show an old version",
            "Say which limits the {part} has",
        ],
        openings: &[
            "The page on the {part} speaks of a menu that is gone since {version}.",
            "New colleagues ask every time what the {part} does {when}. It is written nowhere.",
            "The example does not run: it names a field that the {part} does not have.",
        ],
    },
    Kind {
        label: "question",
        share: 5,
        titles: &[
            "How is the {part} meant to behave {when}?",
            "Is there a way to switch off the {part} {when}?",
        ],
        openings: &[
            "I could not find this in the documentation. What should the {part} do {when}?",
            "We wonder whether this is on purpose, or an oversight.",
        ],
    },
    Kind {
        label: "security",
        share: 4,
        titles: &[
            "{part} tells the names of others {when}",
            "Session token in the log of the {part}",
            "{part} accepts scripts in titles {when}",
            "Passwords are kept in memory by the {part}",
        ],
        openings: &[
            "Found in the review of {version}: somebody who is logged in sees more of the {part} than they should.",
            "Reported in confidence. A link is enough to make it happen, {when}.",
        ],
    },
];

/// Said behind the opening.
pub(super) const DETAILS: [&str; 12] = [
    "Steps:\n1. Open the {part}.\n2. Wait until everything is loaded.\n3. Try it {when}.",
    "Steps:\n1. Log in as {person}.\n2. Go to the {part}.\n3. Press Enter twice.",
    "Expected: the {part} says what is wrong.\nActual: error {error}, and nothing in the interface.",
    "Expected: the same as on {platform}.\nActual: it starts and stops again after {count} seconds.",
    "From the log:\n\n    {error}: timed out after {count}000 ms (attempt 3 of 3)",
    "From the log:\n\n    panicked at {error}: index {count} is out of range",
    "It does not happen on {platform}, and not before {version}.",
    "{person} saw it too, on {platform}.",
    "A workaround is to close the {part} and open it again.",
    "It matters to us because of the audit in the autumn.",
    "I attach no data, since it is a customer's. I can show it in a call.",
    "Not urgent, but it comes up again and again.",
];

pub(super) const COMMENTS: [&str; 20] = [
    "I see the same on {platform}.",
    "Cannot reproduce this with {version} on {platform}. Which settings do you use?",
    "The cause is a race: two requests for the {part} are under way, and the older answer wins.",
    "Thank you, that was enough to find it. A fix is on its way.",
    "Please try {version}, it should be gone there.",
    "Confirmed fixed in {version}.",
    "It is still there in {version}, but only {when}.",
    "{person}, you wrote the {part}. Could you have a look?",
    "We should not fix this by another setting. There are too many already.",
    "I would rather see this in the next release than rushed into this one.",
    "A test for this would have been a good thing. I add one.",
    "The log says {error}. That comes from the layer below.",
    "This needs a decision about what the {part} should do {when}.",
    "Customers ask for it about {count} times a month.",
    "Moved to the next milestone.",
    "Half of it is done: the {part} no longer fails, it is just slow.",
    "I measured it: {count} ms before, {count} s after.",
    "Bisected. It began with the change of the cache format.",
    "Same root cause as the timeouts of last week, I think.",
    "Ping. Is anybody on this?",
];

pub(super) const ANNOUNCEMENTS: [&str; 5] = [
    "{version} is out. Thank you to everybody who reported something.",
    "Feature freeze for {version} is on Friday. Until then, please look through what is assigned to you.",
    "{person} takes over triage this month.",
    "Please label what customers reported. It helps to decide what comes first.",
    "The weekly meeting is moved to Thursday.",
];

pub(super) const PLATFORMS: [&str; 8] =
    ["Windows 11", "macOS 15", "Ubuntu 24.04", "Fedora 42", "Android 16", "iOS 19", "Firefox", "Chromium"];

pub(super) const ERRORS: [&str; 10] = [
    "E1042",
    "E2210",
    "ECONNRESET",
    "HTTP 502",
    "HTTP 409",
    "SIGSEGV",
    "OutOfMemory",
    "ParseError",
    "EACCES",
    "Timeout",
];

pub(super) const EXTRA_LABELS: [&str; 8] = [
    "regression",
    "accessibility",
    "mobile",
    "customer",
    "good-first-issue",
    "needs-design",
    "flaky",
    "urgent",
];
