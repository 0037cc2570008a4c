#include "CWriteAhead.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    // What stands before the frames, and before the page of each.
    LOG_HEAD = 32,
    FRAME_HEAD = 24,
    // As much as a processor's cache holds beside other things.
    CAPACITY = 128 * 1024,
};

struct gathering {
    // First, as it is by these that the file finds the rest.
    sqlite3_io_methods methods;
    const sqlite3_io_methods *own;
    // Where the next frame is appended: up to there the file goes, with what is gathered.
    sqlite3_int64 end;
    // What is gathered is at the end.
    int count;
    // Whether the last of it is a frame's head, and whether that frame ends a transaction.
    int awaits_page, ends;
    unsigned char bytes[CAPACITY];
};

static struct gathering *of(sqlite3_file *file) { return (struct gathering *)file->pMethods; }

/// Writes what is gathered. Where that fails it is let go: the transaction that it is of fails, too.
static int flush(sqlite3_file *file) {
    struct gathering *log = of(file);
    if (log->count == 0) return SQLITE_OK;
    sqlite3_int64 start = log->end - log->count;
    int result = log->own->xWrite(file, log->bytes, log->count, start);
    if (result != SQLITE_OK) log->end = start;
    log->count = log->awaits_page = 0;
    return result;
}

static int write_directly(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct gathering *log = of(file);
    int result = flush(file);
    if (result == SQLITE_OK) result = log->own->xWrite(file, bytes, count, offset);
    if (result != SQLITE_OK) return result;
    // With a new head the log begins anew: what stands behind it counts no more, though the file keeps its length.
    if (offset == 0 && count == LOG_HEAD) log->end = LOG_HEAD;
    if (log->end < offset + count) log->end = offset + count;
    return SQLITE_OK;
}

static int gather_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct gathering *log = of(file);
    int is_head = !log->awaits_page && count == FRAME_HEAD;
    int is_frame = is_head || log->awaits_page;
    if (!is_frame || offset != log->end || count > CAPACITY - FRAME_HEAD)
        return write_directly(file, bytes, count, offset);
    if (count > CAPACITY - log->count) {
        int result = flush(file);
        if (result != SQLITE_OK) return result;
    }
    memcpy(log->bytes + log->count, bytes, (size_t)count);
    log->count += count;
    log->end += count;
    log->awaits_page = is_head;
    if (is_head) {
        // The second of its numbers is how many pages the database has after the transaction, if the frame ends one.
        static const unsigned char goes_on[4] = {0};
        log->ends = memcmp((const unsigned char *)bytes + 4, goes_on, 4) != 0;
        return SQLITE_OK;
    }
    return log->ends ? flush(file) : SQLITE_OK;
}

static int gather_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int result = flush(file);
    return result == SQLITE_OK ? of(file)->own->xRead(file, bytes, count, offset) : result;
}

static int gather_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int result = flush(file);
    if (result == SQLITE_OK) result = of(file)->own->xTruncate(file, size);
    if (result == SQLITE_OK) of(file)->end = size;
    return result;
}

static int gather_sync(sqlite3_file *file, int flags) {
    int result = flush(file);
    return result == SQLITE_OK ? of(file)->own->xSync(file, flags) : result;
}

static int gather_size(sqlite3_file *file, sqlite3_int64 *size) {
    int result = flush(file);
    return result == SQLITE_OK ? of(file)->own->xFileSize(file, size) : result;
}

static int gather_close(sqlite3_file *file) {
    // What is still gathered is of a transaction that was not ended.
    struct gathering *log = of(file);
    file->pMethods = log->own;
    free(log);
    return file->pMethods->xClose(file);
}

int cwriteahead_gather(struct sqlite3 *connection) {
    sqlite3_file *database = NULL, *file = NULL;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &database) != SQLITE_OK
        || sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK)
        return 0;
    // A database that is in memory or that nothing was read of yet has none; methods of version 1 know no log.
    if (!database || !database->pMethods || !file || !file->pMethods || database->pMethods->iVersion < 2) return 0;
    // Where a write may harm what stands beside it, SQLite fills up sectors and writes frames in parts.
    if (!(database->pMethods->xDeviceCharacteristics(database) & SQLITE_IOCAP_POWERSAFE_OVERWRITE)) return 0;
    if (file->pMethods->xWrite == gather_write) return 1;
    struct gathering *log = malloc(sizeof *log);
    if (!log) return 0;
    memset(log, 0, offsetof(struct gathering, bytes));
    log->own = file->pMethods;
    if (log->own->xFileSize(file, &log->end) != SQLITE_OK) {
        free(log);
        return 0;
    }
    log->methods = *log->own;
    log->methods.xClose = gather_close;
    log->methods.xRead = gather_read;
    log->methods.xWrite = gather_write;
    log->methods.xTruncate = gather_truncate;
    log->methods.xSync = gather_sync;
    log->methods.xFileSize = gather_size;
    file->pMethods = &log->methods;
    return 1;
}
