#include "CWriteAhead.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    // What stands before the frames, and before the page of each.
    LOG_HEAD = 32,
    FRAME_HEAD = 24,
    LARGEST_PAGE = 65536,
};

struct joining {
    // First, as it is by these that the file finds the rest.
    sqlite3_io_methods methods;
    const sqlite3_io_methods *own;
    // Where the next frame is appended, as far as this connection knows; with the head that waits.
    sqlite3_int64 end;
    // Whether a frame's head waits in `frame` for its page.
    int waits;
    unsigned char frame[FRAME_HEAD + LARGEST_PAGE];
};

static struct joining *of(sqlite3_file *file) { return (struct joining *)file->pMethods; }

/// Writes a head alone, for whatever comes in place of its page.
static int let_go(sqlite3_file *file) {
    struct joining *log = of(file);
    if (!log->waits) return SQLITE_OK;
    log->waits = 0;
    return log->own->xWrite(file, log->frame, FRAME_HEAD, log->end - FRAME_HEAD);
}

static int join_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct joining *log = of(file);
    if (log->waits && offset == log->end && count <= LARGEST_PAGE) {
        log->waits = 0;
        memcpy(log->frame + FRAME_HEAD, bytes, (size_t)count);
        int result = log->own->xWrite(file, log->frame, FRAME_HEAD + count, offset - FRAME_HEAD);
        if (result == SQLITE_OK) log->end = offset + count;
        return result;
    }
    int result = let_go(file);
    if (result != SQLITE_OK) return result;
    // Heads that are written anew in their places stand before the end, and no page follows them.
    if (count == FRAME_HEAD && offset == log->end) {
        memcpy(log->frame, bytes, FRAME_HEAD);
        log->end = offset + FRAME_HEAD;
        log->waits = 1;
        return SQLITE_OK;
    }
    result = log->own->xWrite(file, bytes, count, offset);
    if (result != SQLITE_OK) return result;
    // With a new head the log begins anew: what stands behind it counts no more, though the file keeps its length.
    if (offset == 0 && count == LOG_HEAD) log->end = LOG_HEAD;
    if (log->end < offset + count) log->end = offset + count;
    return SQLITE_OK;
}

static int join_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int result = let_go(file);
    return result == SQLITE_OK ? of(file)->own->xRead(file, bytes, count, offset) : result;
}

static int join_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int result = let_go(file);
    if (result == SQLITE_OK) result = of(file)->own->xTruncate(file, size);
    if (result == SQLITE_OK && of(file)->end > size) of(file)->end = size;
    return result;
}

static int join_sync(sqlite3_file *file, int flags) {
    int result = let_go(file);
    return result == SQLITE_OK ? of(file)->own->xSync(file, flags) : result;
}

static int join_size(sqlite3_file *file, sqlite3_int64 *size) {
    int result = let_go(file);
    return result == SQLITE_OK ? of(file)->own->xFileSize(file, size) : result;
}

static int join_close(sqlite3_file *file) {
    struct joining *log = of(file);
    file->pMethods = log->own;
    free(log);
    return file->pMethods->xClose(file);
}

int cwriteahead_join_frames(struct sqlite3 *connection) {
    sqlite3_file *database = NULL, *file = NULL;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &database) != SQLITE_OK
        || sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK)
        return 0;
    // A database that is in memory, or that nothing was read of yet, has none.
    if (!database || !database->pMethods || !file || !file->pMethods) return 0;
    if (file->pMethods->xWrite == join_write) return 1;
    // The methods are copied as this version of SQLite knows them.
    if (database->pMethods->iVersion < 3 || file->pMethods->iVersion < 3) return 0;
    // Where a write may harm what stands beside it, SQLite fills up sectors and writes frames in parts.
    if (!(database->pMethods->xDeviceCharacteristics(database) & SQLITE_IOCAP_POWERSAFE_OVERWRITE)) return 0;
    struct joining *log = malloc(sizeof *log);
    if (!log) return 0;
    memset(log, 0, offsetof(struct joining, frame));
    log->own = file->pMethods;
    if (log->own->xFileSize(file, &log->end) != SQLITE_OK) {
        free(log);
        return 0;
    }
    log->methods = *log->own;
    log->methods.xClose = join_close;
    log->methods.xRead = join_read;
    log->methods.xWrite = join_write;
    log->methods.xTruncate = join_truncate;
    log->methods.xSync = join_sync;
    log->methods.xFileSize = join_size;
    file->pMethods = &log->methods;
    return 1;
}
