#include "CSQLite.h"

#include <sqlite3.h>

// SQLite takes these only before its first use, which in a process that runs tests is in any of them. Refused once it is in
// use: then it is only slower.
__attribute__((constructor)) static void configure(void) {
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    // 4 MiB: what a statement that joins a few thousand rows changes of pages that were there.
    (void)sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, 4 << 20);
}
