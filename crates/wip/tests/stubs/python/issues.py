"""An application, from entry to entry."""

import sys

import tracker as t
from wip_runtime import BadArgument, InterfaceMissing, ObservationFailed, Refused, StateChanged, World


def failed(kind: type[Exception], act: object) -> Exception:
    assert callable(act)
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


url, token = sys.argv[1:]
world = World(url, token=token, timeout=30)
page = world.entry("/tracker").open(t.TrackerSearch).search(text="crash", state=t.State.OPEN, limit=100)
assert len(page.issues) > 10 and all(line.state is t.State.OPEN for line in page.issues)

# Closing an issue says what stands in the way of it, as entries that can be followed.
closed = blocked = 0
for line in page.issues:
    issue = line.issue.open(t.IssueLifecycle)
    assert issue.read_body().title == line.title
    match issue.close(reason=t.Reason.DONE, note="Fixed."):
        case t.CloseResultClosed():
            closed += 1
            metadata = issue.get_metadata()
            assert (metadata.state, metadata.closed_as) == (t.State.CLOSED, t.Reason.DONE)
        case t.CloseResultBlocked(value):
            blocked += 1
            assert value.dependencies[0].open(t.IssueLifecycle).get_metadata().state is t.State.OPEN
        case t.CloseResultAlreadyClosed():
            raise AssertionError("it was open")
assert closed > 0 and closed + blocked == len(page.issues)

# Something new, below the project of the first issue; what makes new things is bound to no state.
project = world.entry("/".join(page.issues[0].issue.path.split("/")[:3]))
issues = project.open(t.ProjectIssues)
for text in ["It crashes", '日本 """ \\ title']:
    entry = issues.create(title=text, body="Again.\n", labels=["bug"])
    assert entry.open(t.IssueLifecycle).read_body().title == text
mine, theirs = entry.open(t.IssueLifecycle), entry.open(t.IssueLifecycle)
mine.edit(body="Often.")
mine.edit(body="Always.")
assert mine.read_body().body == "Always."
failed(StateChanged, lambda: theirs.edit(body="Never."))
theirs.refresh()
theirs.edit(body="Never.")

# One interface, many kinds of Objects.
for about in [entry, project]:
    talk = about.open(t.Commentable)
    talk.comment(text="日本 ☕")
    assert any(comment.text == "日本 ☕" for comment in talk.comments(limit=100).comments)

# What goes wrong says what happened.
assert "title" in str(failed(BadArgument, lambda: mine.edit(title=5)))  # type: ignore[arg-type]
refused = failed(Refused, lambda: issues.list(limit=0))
assert isinstance(refused, Refused) and refused.code == "invalid_arguments"
missing = failed(ObservationFailed, lambda: world.entry("/tracker/none").look())
assert isinstance(missing, ObservationFailed) and missing.code == "not_found"
stranger = failed(ObservationFailed, lambda: World(url).entry("/tracker").look())
assert isinstance(stranger, ObservationFailed) and stranger.status == 401
assert "tracker.search" in str(failed(InterfaceMissing, lambda: t.ProjectIssues.open(world.entry("/tracker"))))
print("ok")
