// A setting of SQLite that Swift can't make, as that takes a function of variable arguments.
//
// A program that this is linked into has SQLite keep no statistics of its memory (`SQLITE_CONFIG_MEMSTATUS`), which
// nobody reads here and for which SQLite takes a lock at every allocation: threads that work with databases of their
// own wait for each other. It holds for the whole process, so that no library does it: an app may want those statistics,
// or the limit to SQLite's memory that needs them.
#pragma once
