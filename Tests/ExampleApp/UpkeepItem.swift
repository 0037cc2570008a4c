import Catalogue
import MirrorStore
import PeriodicLoops

/// Done once an hour: adds the sizes that are missing, and removes those of pictures that are gone.
///
/// A sync hands a picture to the tree when it stores its file, and only then. What the mirror had before the kiosk was set up, and
/// what the node failed at, is added here.
struct UpkeepItem: Pollable {
    let mirror: MirrorFolder
    let sizes: PictureSizes
    let notify: @Sendable (Kiosk.Notice) -> Void
    let interval = Duration.seconds(3_600)
    let startsAtOnce = true
    /// Not beside a sync, which adds sizes meanwhile.
    let lane = PollingLane.serial

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
        let known = try sizes.hashes
        let gone = known.subtracting(files.keys)
        for hash in gone { try sizes.remove(hash) }
        var added = 0, failure: (any Error)?
        for file in files.values where !known.contains(file.hash) {
            do {
                try sizes.add(file, at: mirror.files.absolutePath(file))
                added += 1
            } catch {
                // One bad picture holds up no other.
                failure = error
            }
        }
        if added > 0 || !gone.isEmpty { notify(.sizes(added: added, removed: gone.count)) }
        if let failure { throw failure }
    }
}
