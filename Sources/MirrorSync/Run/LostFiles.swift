import Catalogue
import Foundation
import MirrorStore

/// Finds files of pictures and documents that the database has, and the disk no longer has.
///
/// Someone deleted the files or moved the folder, so no answer of the server would cause them to be fetched again. A run that
/// fetches files looks for lost ones at its start. It lists each folder, and compares the names only if the number of files
/// differs from the database. Only `mirror verify` detects corrupted files.
struct LostFiles {
    let store: CatalogueStore
    let media: MediaFolder

    init(_ store: CatalogueStore, in folder: MirrorFolder, now: Date) {
        self.store = store
        media = MediaFolder(path: folder.path, now: now)
    }

    /// The number of lost files.
    func count() throws -> Int {
        let damaged = try store.damagedPaths()
        return try store.fileCounts().reduce(0) { try $0 + lost($1.folder, $1.files, damaged).count }
    }

    /// Marks the lost files as never fetched, and their kinds' lists as not up to date, so that the run fetches them again.
    ///
    /// - Returns: the number of lost files.
    func markForRefetch() throws -> Int {
        var total = 0
        let damaged = try store.damagedPaths()
        for (digits, count) in try store.fileCounts() {
            let hashes = try lost(digits, count, damaged)
            try store.forgetFiles(hashes)
            total += hashes.count
        }
        if total > 0 { try store.compareFullLists(of: store.kinds.listed.filter(\.hasFiles)) }
        return total
    }

    private func lost(_ digits: String, _ count: Int, _ damaged: Set<String>) throws -> [String] {
        let folder = "media/\(digits)"
        try media.checkLinks(to: folder)
        let existing = Set(try media.names(folder).map { "\(folder)/\($0)" }).subtracting(damaged)
        guard existing.count != count else { return [] }
        return try store.usedFiles(inFolder: digits).filter { !existing.contains($0.path) }.map(\.hash)
    }
}

/// Removes shows that ended longer ago than ``SyncOptions/keepShows``, in runs that walk shows.
struct Pruning: Sendable {
    let environment: SyncEnvironment

    private var keep: Duration? { environment.options.keepShows }

    /// Shows that ended before this date are removed; `nil` if all shows are kept. It is in the server's time.
    func limit() throws -> Date? {
        try keep.map { try environment.serverTime().addingTimeInterval(-Double($0.components.seconds)) }
    }

    /// Called before the lists are requested. Pruned shows that are to be kept from now on will be fetched again.
    func begin() throws {
        guard environment.coverage.kinds.contains(.show) else { return }
        _ = try environment.store.forgetPruned(endedSince: limit())
    }

    /// Called after the sweep and after ``GhostFetch``, unless the run was interrupted or the delete guard objected.
    func end() throws {
        guard environment.coverage.kinds.contains(.show) else { return }
        let days = keep.map { Int($0.components.seconds / 86_400) } ?? 0
        _ = try environment.store.pruneShows(endedBefore: limit(), keptDays: days, run: environment.run)
    }
}
