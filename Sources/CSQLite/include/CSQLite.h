// What Swift can't call of SQLite: a function of variable arguments.
#pragma once

/// Has SQLite keep no statistics of its memory (`SQLITE_CONFIG_MEMSTATUS`), for which it takes a lock at every allocation.
///
/// For the whole process, and before its first connection: afterwards it changes nothing.
void csqlite_keep_no_memory_statistics(void);
