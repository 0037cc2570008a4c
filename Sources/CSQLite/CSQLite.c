#include "CSQLite.h"

#include <sqlite3.h>

void csqlite_keep_no_memory_statistics(void) {
    // Refused once SQLite is in use: then it is only slower.
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
