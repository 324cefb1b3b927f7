"""Programs that must not pass: mypy tells of a marked line that has no error."""

from typing import assert_never

from issue import CloseResult, CloseResultBlocked, CloseResultClosed, IssueLifecycle, Reason
from wip_runtime import Entry, World


def refused(world: World, entry: Entry, issue: IssueLifecycle) -> None:
    issue.close(reason="done")  # type: ignore[arg-type]
    issue.close(note="x")  # type: ignore[call-arg]
    issue.close(reason=Reason.FORGOTTEN)  # type: ignore[attr-defined]
    issue.close(Reason.DONE)  # type: ignore[misc]
    issue.close(reason=Reason.DONE, because="x")  # type: ignore[call-arg]
    issue.reopen()  # type: ignore[attr-defined]
    issue.relate(to="/issues/7")  # type: ignore[arg-type]
    entry.open(int)  # type: ignore[type-var]
    IssueLifecycle.open("/issues/7")  # type: ignore[arg-type]
    result = issue.close(reason=Reason.DONE)
    result.value  # type: ignore[union-attr]


def whole(result: CloseResult) -> str:
    """A match over all cases is whole."""
    match result:
        case CloseResultClosed():
            return "closed"
        case CloseResultBlocked(value):
            return ", ".join(entry.path for entry in value.dependencies)
        case other:
            assert_never(other)
