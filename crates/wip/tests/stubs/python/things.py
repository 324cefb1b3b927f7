"""Files and rows, read and changed."""

import pathlib
import sys

import world as d
from wip_runtime import NotRun, Refused, StateChanged, World

url, token, directory = sys.argv[1:]
world = World(url, token=token)

file = world.entry("/docs/a.md").open(d.FilesFileWrite)
file.append(text="ü\n")
file.append(text="z\n")
assert file.entry.open(d.FilesFile).read_text().text == "# A\nü\nz\n"
pathlib.Path(directory, "a.md").write_text("by somebody else\n")
try:
    file.write(text="lost")
    raise AssertionError("it ran")
except StateChanged as changed:
    assert isinstance(changed, NotRun)
file.refresh()
file.write(data=bytes(range(256)))
assert pathlib.Path(directory, "a.md").read_bytes() == bytes(range(256))
assert file.entry.open(d.FilesFile).read_bytes(offset=255).data == b"\xff"

writing = world.entry("/docs").open(d.FilesDirectoryWrite)
made = writing.create_directory(name="日本 #1?")
assert isinstance(made, d.CreateDirectoryResultCreated), made
assert isinstance(writing.create_directory(name="日本 #1?"), d.CreateDirectoryResultExists)
try:
    writing.create_directory(name="a/b")
    raise AssertionError("it ran")
except Refused as refused:
    assert refused.code == "invalid_arguments", refused

rows = world.entry("/shop/item")
inserted = rows.open(d.SqlTableWrite).insert(name="Cocoa", photo=b"\x00\x01")
assert isinstance(inserted, d.InsertResultInserted), inserted
found = rows.open(d.SqlTable).query(limit=10)
assert [row.row.name for row in found.rows if row.row] == ["Tea", "Cocoa"], found
print("ok")
