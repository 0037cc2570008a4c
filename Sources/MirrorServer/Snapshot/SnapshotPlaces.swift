import Synchronization

/// How many snapshots may be read at once: each keeps the database's log from being folded in as long as it lasts.
final class SnapshotPlaces: Sendable {
    private static let limit = 4
    private let taken = Mutex(0)

    /// A reader's place, given back when nobody holds it any more; `nil` if all are taken.
    func begin() -> Place? {
        taken.withLock { taken in
            guard taken < Self.limit else { return false }
            taken += 1
            return true
        } ? Place(self) : nil
    }

    final class Place: Sendable {
        private let places: SnapshotPlaces
        fileprivate init(_ places: SnapshotPlaces) { self.places = places }
        deinit { places.taken.withLock { $0 -= 1 } }
    }
}
