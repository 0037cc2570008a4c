// SQLite's write-ahead log, written in long pieces. Methods of files are C's: Swift has no way to put its own before them
// without a type for each open file that SQLite keeps.
#pragma once

struct sqlite3;

/// Has a connection gather what it appends to its write-ahead log, so that a transaction costs few calls to the kernel
/// and not two a page, one of 24 bytes and one of a page that lies across the system's own pages.
///
/// What SQLite promises stays as it is. A transaction is seen by others only once SQLite says in shared memory how far
/// the log goes, which it does after the frame that ends the transaction; that frame is written with all that was
/// gathered before it, and what then fails fails there. Frames are gathered where they are appended; what is read, synced
/// or cut off, and what is written in place, is so after what was gathered. After a crash nothing is lacking but
/// frames of a transaction that had not ended. (<https://sqlite.org/fileformat2.html#walformat>)
///
/// - `connection`: one that has read the database once, so that its log is open. Nobody else may use it meanwhile.
///
/// Returns 0 if the connection has no such log, or there is no memory: then everything is as before. A second call changes
/// nothing. It ends with the connection.
int cwriteahead_gather(struct sqlite3 *connection);
