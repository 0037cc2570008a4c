// SQLite's write-ahead log, a frame at a time. Methods of files are C's: Swift has no way to put its own before them
// without a type for each open file that SQLite keeps.
#pragma once

struct sqlite3;

/// Has a connection append each frame of its write-ahead log in one call to the kernel, where SQLite makes two: one for the
/// 24 bytes of its head, and one for its page.
///
/// A head waits only for the page behind it, which SQLite writes next, before anything else: what it was told to be
/// written is written, and what fails fails where SQLite expects it. Only what is appended is treated so; what is written in
/// place is written as it comes. (<https://sqlite.org/fileformat2.html#walformat>)
///
/// - `connection`: one that has read the database once, so that its log is open. Nobody else may use it meanwhile.
///
/// Returns 0 if the connection has no such log, or there is no memory: then everything is as before. A second call changes
/// nothing. It ends with the connection.
int cwriteahead_join_frames(struct sqlite3 *connection);
