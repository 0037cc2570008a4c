import Foundation
import GRDB

/// Writing on the queue of the file's writer, and the end of caching.
extension EntryStore {
    /// Runs `body` on the writer's queue, and returns when it has finished. Does nothing if caching has ended.
    func access(_ body: (EntryFile, Database) throws -> Void) {
        guard let file = state.withLock({ $0.file }) else { return }
        do {
            try file.writer.writeWithoutTransaction { if isOpen(file) { try body(file, $0) } }
        } catch {
            fail(error)
        }
    }

    private func isOpen(_ file: EntryFile) -> Bool { state.withLock { $0.file === file } }

    /// Writes all pending changes in one transaction, and evicts entries if the file is too large.
    func write(to file: EntryFile, _ db: Database) {
        let batch = state.withLock { state -> EntryBatch? in
            state.isScheduled = false
            guard state.file != nil, !state.pending.isEmpty else { return nil }
            state.writing = state.pending
            state.pending = EntryBatch()
            return state.writing
        }
        guard let batch else { return }
        // Returned from the closure, so that the batch is deallocated after the lock is released.
        defer { _ = state.withLock { $0.writing.take() } }
        do {
            // SQLite would continue to write to a deleted file, which nothing reads again.
            guard FileManager.default.fileExists(atPath: file.url.path) else {
                throw CacheProblem(.failed, "The file was deleted.")
            }
            try file.write(batch, db)
            let usage = try EntryFile.usage(db)
            state.withLock { $0.usage = usage }
            if usage > diskCapacity { try evict(from: file, db) }
        } catch {
            fail(error)
        }
    }

    /// Deletes the least recently used rows in small transactions, until 10 % of the capacity are free.
    func evict(from file: EntryFile, _ db: Database) throws {
        let capacity = diskCapacity
        while try file.evict(to: capacity - capacity / 10, limit: capacity, db) {}
    }

    /// Writes all pending changes and closes the file. Nothing is cached afterwards.
    func close() {
        flush()
        let file = state.withLock { $0.file.take() }
        // Closing waits for running statements. Closing the last connection checkpoints the WAL.
        for connection in [file?.reader, file?.writer] {
            do {
                try connection?.close()
            } catch {
                problem(CacheProblem(.failed, "The cache's file could not be closed: \(error)"))
            }
        }
    }

    /// Ends caching and reports the error once. A damaged file is deleted, so that the next start creates a new one.
    func fail(_ error: any Error) {
        let file = state.withLock { state -> EntryFile? in
            state.pending = EntryBatch()
            return state.file.take()
        }
        guard let file else { return }
        if let code = (error as? DatabaseError)?.resultCode, code == .SQLITE_CORRUPT || code == .SQLITE_NOTADB
        {
            EntryFile.delete(file.url)
        }
        problem(
            CacheProblem(
                .failed, "The HTTP cache failed, so nothing is cached until the next start: \(error)"))
    }
}
