#include "CSQLite.h"

#include <sqlite3.h>

// SQLite takes this only before its first use, which in a process that runs tests is in any of them.
__attribute__((constructor)) static void keep_no_memory_statistics(void) {
    // Refused once SQLite is in use: then it is only slower.
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
