import Foundation
import GRDB

/// Leaves a mirror's folder as it was found.
///
/// A connection that may not write makes SQLite's two side files (`-wal`, `-shm`) where there are none, and can't take
/// them away. One that may, does so when it is the last to close: so that is what happens at the end, if they were not
/// there before. Nothing is written by it.
package struct PlanningFile: Sendable {
    private let path: String
    private let hadSideFiles: Bool

    package init(_ folder: MirrorFolder) {
        path = folder.database
        hadSideFiles = !folder.exists || Self.hasSideFiles(path)
    }

    /// Called when the plan's connection is closed.
    package func restore() throws {
        guard !hadSideFiles, Self.hasSideFiles(path), FileManager.default.isWritableFile(atPath: path) else {
            return
        }
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(1)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
            try queue.close()
        } catch {
            throw StoreError.of(error, path: path)
        }
    }

    private static func hasSideFiles(_ path: String) -> Bool {
        ["-wal", "-shm"].contains { FileManager.default.fileExists(atPath: path + $0) }
    }
}
