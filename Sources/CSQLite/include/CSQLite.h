// A setting of SQLite that Swift can't change, because `sqlite3_config` is variadic.
//
// In a program that links this target, SQLite keeps no memory statistics (`SQLITE_CONFIG_MEMSTATUS`). The program doesn't
// read them, and to keep them, SQLite takes a lock at every allocation: threads that work with separate databases wait
// for each other. The setting applies to the whole process, so no library links this target: an app may need the
// statistics, or SQLite's memory limit, which depends on them.
#pragma once
