import Catalogue
import Foundation
import MirrorStore

/// Files of pictures and documents that are in the database and no longer on the disk.
///
/// Somebody deleted them, or moved the folder: nothing that a server says would bring them back. Looked for at the start of
/// a run that wants files, folder by folder: a listing each, compared by name only where a folder has another number than it should.
/// That a file has other bytes by now only `mirror verify` finds.
struct LostFiles {
    let store: CatalogueStore
    let media: MediaFolder

    init(_ store: CatalogueStore, in folder: MirrorFolder, now: Date) {
        self.store = store
        media = MediaFolder(path: folder.path, now: now)
    }

    func count() throws -> Int {
        let damaged = try store.damagedPaths()
        return try store.fileCounts().reduce(0) { try $0 + lost($1.folder, $1.files, damaged).count }
    }

    /// Has them fetched again by the run that begins: they count as never fetched, and the lists that lead to them are
    /// looked at.
    ///
    /// - Returns: how many there are.
    func forget() throws -> Int {
        var total = 0
        let damaged = try store.damagedPaths()
        for (digits, count) in try store.fileCounts() {
            let hashes = try lost(digits, count, damaged)
            try store.forgetFiles(hashes)
            total += hashes.count
        }
        if total > 0 { try store.lookAtLists(of: store.kinds.listed.filter(\.hasFiles)) }
        return total
    }

    private func lost(_ digits: String, _ count: Int, _ damaged: Set<String>) throws -> [String] {
        let folder = "media/\(digits)"
        try media.checkLinks(to: folder)
        let there = Set(try media.names(folder).map { "\(folder)/\($0)" }).subtracting(damaged)
        guard there.count != count else { return [] }
        return try store.usedFiles(inFolder: digits).filter { !there.contains($0.path) }.map(\.hash)
    }
}

/// Removes shows that ended long ago, and lets them come back when they are to be kept after all; in runs that walk shows.
struct Pruning: Sendable {
    let environment: SyncEnvironment

    private var keep: Duration? { environment.options.keepShows }

    /// Shows that ended before that are not kept; `nil` if shows are kept for ever. The server's time counts.
    func limit() throws -> Date? {
        try keep.map { try environment.serverTime().addingTimeInterval(-Double($0.components.seconds)) }
    }

    /// Before the lists: what was pruned and is to be kept from now on will be fetched again.
    func begin() throws {
        guard environment.coverage.kinds.contains(.show) else { return }
        _ = try environment.store.forgetPruned(endedSince: limit())
    }

    /// After the sweep and the ghosts, in a run that was not broken off and to which the guard didn't object.
    func end() throws {
        guard environment.coverage.kinds.contains(.show) else { return }
        let days = keep.map { $0.components.seconds / 86_400 } ?? 0
        _ = try environment.store.pruneShows(
            endedBefore: limit(), evidence: "shows are kept for \(days) days after their end",
            run: environment.run)
    }
}
