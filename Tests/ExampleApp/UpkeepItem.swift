import Catalogue
import MirrorStore
import PeriodicLoops

/// Adds missing picture sizes and removes those of deleted pictures, once an hour.
///
/// `PictureSizeStep` gets a picture only in the sync that downloads it. This item adds the sizes of pictures that the mirror
/// had before the app was installed, and of those for which the step failed.
struct UpkeepItem: Pollable {
    let mirror: MirrorFolder
    let sizes: PictureSizes
    let notify: @Sendable (Kiosk.Notice) -> Void
    let interval = Duration.seconds(3_600)
    /// The first run is when the watch begins to follow the mirror, not an hour later.
    let startsAtOnce = true
    /// The watch runs the items of the serial lane one after another, and never during one of its syncs, which also add sizes.
    let lane = PollingLane.serial

    /// Compares the stored sizes with the mirror's pictures.
    ///
    /// - Throws: the last error, after all pictures have been processed.
    func poll() async throws {
        let store = try mirror.store()
        defer { try? store.close() }
        let owners =
            try store.fetchAll(Artwork.self).map { Owner(.artwork, $0.id) }
            + store.fetchAll(Show.self).map { Owner(.show, $0.id) }
        var files: [String: StoredFile] = [:]
        for owner in owners {
            for file in try store.pictures(of: owner).flatMap(\.files.values) { files[file.hash] = file }
        }
        let stored = try sizes.hashes
        let unused = stored.subtracting(files.keys)
        for hash in unused { try sizes.remove(hash) }
        var added = 0, failure: (any Error)?
        for file in files.values where !stored.contains(file.hash) {
            do {
                try sizes.add(file, at: mirror.files.absolutePath(file))
                added += 1
            } catch {
                // The other pictures are processed first.
                failure = error
            }
        }
        if added > 0 || !unused.isEmpty { notify(.sizes(added: added, removed: unused.count)) }
        if let failure { throw failure }
    }
}
