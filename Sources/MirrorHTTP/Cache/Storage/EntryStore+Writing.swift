import Foundation
import GRDB

/// What happens on the queue of the file's writer, and the end of the caching.
extension EntryStore {
    /// Does something on the writer's queue, and returns when it is done.
    func access(_ body: (EntryFile, Database) throws -> Void) {
        guard let file = state.withLock({ $0.file }) else { return }
        do {
            try file.writer.writeWithoutTransaction { if isOpen(file) { try body(file, $0) } }
        } catch {
            fail(error)
        }
    }

    private func isOpen(_ file: EntryFile) -> Bool { state.withLock { $0.file === file } }

    func write(to file: EntryFile, _ db: Database) {
        let batch = state.withLock { state -> EntryBatch? in
            state.isScheduled = false
            guard state.file != nil, !state.waiting.isEmpty else { return nil }
            state.writing = state.waiting
            state.waiting = EntryBatch()
            return state.writing
        }
        guard let batch else { return }
        // What was written is freed when the lock is free again.
        defer { _ = state.withLock { $0.writing.take() } }
        do {
            // SQLite would go on writing to a deleted file, which is never read again.
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

    /// Deletes what was not used for longest, in small transactions, until there is room for a while.
    func evict(from file: EntryFile, _ db: Database) throws {
        let capacity = diskCapacity
        while try file.evict(to: capacity - capacity / 10, limit: capacity, db) {}
    }

    /// Writes all that waits and closes the file: from here on nothing is cached.
    func close() {
        flush()
        let file = state.withLock { $0.file.take() }
        // Behind what is under way. The last connection puts the journal into the file.
        for connection in [file?.reader, file?.writer] {
            do {
                try connection?.close()
            } catch {
                problem(CacheProblem(.failed, "The cache's file can't be closed: \(error)"))
            }
        }
    }

    /// Ends the caching. A damaged file is deleted, so that the next one to open it starts afresh.
    func fail(_ error: any Error) {
        let file = state.withLock { state -> EntryFile? in
            state.waiting = EntryBatch()
            return state.file.take()
        }
        guard let file else { return }
        if let code = (error as? DatabaseError)?.resultCode, code == .SQLITE_CORRUPT || code == .SQLITE_NOTADB
        {
            EntryFile.delete(file.url)
        }
        problem(CacheProblem(.failed, "The cache failed; going on without it: \(error)"))
    }
}
