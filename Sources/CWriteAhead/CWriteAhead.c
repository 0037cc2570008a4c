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
    // In a frame's head: the database's size, in pages, if the frame is the last of a transaction, else 0.
    DATABASE_SIZE = 4,
    // How many bytes wait at most, which is more than any frame: of a longer write, SQLite writes but the length's last 17
    // bits.
    MOST = 131071,
    // Of the locks that connections share: held by the one that writes, from before its first frame to the transaction's end.
    WRITE_LOCK = 0,
};

struct joining {
    // First, as it is by these that the file finds the rest.
    sqlite3_io_methods methods;
    const sqlite3_io_methods *own;
    // Where the next frame is appended, as far as this connection knows; with what waits, which stands right before it.
    sqlite3_int64 end;
    // How many bytes wait.
    int held;
    // Whether the last that waits is a frame's head, without its page, and whether that frame ends a transaction.
    int lacks_page, ends_transaction;
    // What a write of this transaction failed with: none of it can be committed.
    int failure;
    // The file whose log this is, for the end of a transaction.
    sqlite3_file *database;
    struct watching {
        sqlite3_io_methods methods;
        const sqlite3_io_methods *own;
        struct joining *log;
    } watching;
    unsigned char frames[MOST];
};

static struct joining *of(sqlite3_file *file) { return (struct joining *)file->pMethods; }

/// From here on others may append. What still waits is of a transaction that was taken back: nobody was told of it, and it must
/// not be written over theirs.
static int watch_lock(sqlite3_file *database, int first, int count, int flags) {
    struct watching *watching = (struct watching *)database->pMethods;
    if ((flags & SQLITE_SHM_UNLOCK) && (flags & SQLITE_SHM_EXCLUSIVE) && first == WRITE_LOCK) {
        struct joining *log = watching->log;
        log->end -= log->held;
        log->held = log->lacks_page = log->failure = 0;
    }
    return watching->own->xShmLock(database, first, count, flags);
}

/// Writes what waits.
static int let_go(sqlite3_file *file) {
    struct joining *log = of(file);
    if (!log->held) return SQLITE_OK;
    sqlite3_int64 start = log->end - log->held;
    int result = log->own->xWrite(file, log->frames, log->held, start);
    if (result != SQLITE_OK) {
        log->end = start;
        log->failure = result;
    }
    log->held = log->lacks_page = 0;
    return result;
}

static int hold(sqlite3_file *file, const void *bytes, int count) {
    struct joining *log = of(file);
    if (count > MOST - log->held) {
        int result = let_go(file);
        if (result != SQLITE_OK) return result;
    }
    memcpy(log->frames + log->held, bytes, (size_t)count);
    log->held += count;
    log->end += count;
    return SQLITE_OK;
}

static int join_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct joining *log = of(file);
    if (log->failure) return log->failure;
    if (log->lacks_page && offset == log->end && count <= LARGEST_PAGE) {
        log->lacks_page = 0;
        int result = hold(file, bytes, count);
        return result == SQLITE_OK && log->ends_transaction ? let_go(file) : result;
    }
    // Heads that are written anew in their places stand before the end, and no page follows them.
    int is_head = count == FRAME_HEAD && offset >= log->end;
    int result = is_head && offset == log->end && !log->lacks_page ? SQLITE_OK : let_go(file);
    if (result != SQLITE_OK) return result;
    if (is_head) {
        const unsigned char *size = (const unsigned char *)bytes + DATABASE_SIZE;
        log->end = offset;
        result = hold(file, bytes, count);
        log->lacks_page = result == SQLITE_OK;
        log->ends_transaction = (size[0] | size[1] | size[2] | size[3]) != 0;
        return result;
    }
    result = log->own->xWrite(file, bytes, count, offset);
    if (result != SQLITE_OK) return result;
    // With a new head the log begins anew: what stands behind it counts no more, though the file keeps its length.
    if (offset == 0 && count == LOG_HEAD) log->end = LOG_HEAD;
    if (log->end < offset + count) log->end = offset + count;
    return SQLITE_OK;
}

static int join_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    struct joining *log = of(file);
    // What a write that failed has lost isn't there to be read.
    if (log->failure && offset + count > log->end) return log->failure;
    int result = offset + count > log->end - log->held ? let_go(file) : SQLITE_OK;
    return result == SQLITE_OK ? log->own->xRead(file, bytes, count, offset) : result;
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
    log->database->pMethods = log->watching.own;
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
    memset(log, 0, offsetof(struct joining, frames));
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
    log->database = database;
    log->watching.log = log;
    log->watching.own = database->pMethods;
    log->watching.methods = *database->pMethods;
    log->watching.methods.xShmLock = watch_lock;
    database->pMethods = &log->watching.methods;
    return 1;
}
