import Foundation

/// How far a snapshot was taken in: stored with what it brought, so that the next run goes on behind it.
package struct LoadPosition: Sendable, Hashable, Codable {
    /// Where the feed of events stood when the snapshot was made; `nil` if the server didn't say.
    package var event: String?
    /// The last URL that was taken in.
    package var url: String
    /// So many lines were.
    package var lines: Int
    /// Objects that came, by kind; documents under `document`.
    package var objects: [String: Int]
    /// Why what came can't be taken for the whole catalogue of one instant, if it can't.
    package var doubt: String?

    package init(
        event: String? = nil, url: String = "", lines: Int = 0, objects: [String: Int] = [:],
        doubt: String? = nil
    ) {
        self.event = event
        self.url = url
        self.lines = lines
        self.objects = objects
        self.doubt = doubt
    }
}

extension CatalogueStore {
    /// Where a snapshot that was broken off stands; `nil` if none was.
    package func loadPosition() throws -> LoadPosition? {
        guard let text = try fact(.loading) else { return nil }
        // What an unknown version wrote is begun anew.
        return try? JSONDecoder().decode(LoadPosition.self, from: Data(text.utf8))
    }

    /// A snapshot was taken in, or given up: what comes next is written in the ordinary way. Call ``settleLoaded(run:)``
    /// first.
    package func endLoading(isWhole: Bool) throws {
        try write { db in
            try Self.set(.loading, to: nil, in: db)
            if isWhole { try Self.set(.loaded, to: "1", in: db) }
        }
    }
}
