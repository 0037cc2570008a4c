#include "CSQLite.h"

#include <sqlite3.h>

// SQLite accepts this only before its first use. In a test process, that may be in any test, so this runs at load time.
__attribute__((constructor)) static void keep_no_memory_statistics(void) {
    // If SQLite is already in use, it refuses the setting, and is only slower.
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
