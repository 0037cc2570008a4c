// SQLite's write-ahead log, a transaction at a time. Methods of files are C's: Swift has no way to put its own before them
// without a type for each open file that SQLite keeps.
#pragma once

struct sqlite3;

/// Has a connection append all frames of a transaction to its write-ahead log in one call to the kernel, or in one for
/// each 128 KiB of them, where SQLite makes two for each frame: one for the 24 bytes of its head, and one for its page.
///
/// Large writes are cheaper by more than the calls: the kernel then keeps the file in larger pieces.
///
/// What waits is written with the frame that ends the transaction, before SQLite tells any other connection of it, and
/// before this one reads it; a write that fails makes the transaction fail. Of a transaction that hasn't ended, less may be in
/// the file than SQLite wrote, which nobody reads; of one that is taken back, what waits is dropped before another
/// connection may write. Only what is appended is treated so; what is written in place is written as it comes.
/// (<https://sqlite.org/fileformat2.html#walformat>)
///
/// - `connection`: one that has read the database once, so that its log is open, and that shares it with others
///   (`locking_mode = NORMAL`). Nobody else may use it meanwhile.
///
/// Returns 0 if the connection has no such log, or there is no memory: then everything is as before. A second call changes
/// nothing. It ends with the connection.
int cwriteahead_join_frames(struct sqlite3 *connection);
