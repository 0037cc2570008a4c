import MirrorStore

/// About how many bytes a snapshot's lines are before compression, within a tenth: what its first line announces.
///
/// Lines are measured that are spread evenly over all. Lists of artworks, and the partner's own lists, are measured apart and, up to
/// ``limit``, all of them: one may name a whole collection.
struct SnapshotSize: Sendable, Hashable {
    /// Lines that are alike.
    struct Lines: Sendable, Hashable {
        /// How many there are.
        let count: Int
        /// How many were measured, and their bytes.
        var measured = 0, bytes = 0

        init(count: Int, measured: Int = 0, bytes: Int = 0) {
            (self.count, self.measured, self.bytes) = (count, measured, bytes)
        }

        var all: Double { measured == 0 ? 0 : Double(bytes) / Double(measured) * Double(count) }
    }

    let lines: [Lines]
    /// How many are measured of either at most.
    static let limit = 1_500
    /// Bytes of the first line and the last.
    static let ends = 120

    var bytes: Int { Self.ends + Int(lines.reduce(0) { $0 + $1.all }.rounded()) }

    private static let longLists = """
        url LIKE '%/artworks?%' OR url LIKE '%/artworks/all?%'
        OR (url LIKE '/partner/%?%' AND url NOT LIKE '/partner/%/%/%')
        """

    init(_ lines: [Lines]) { self.lines = lines }

    /// - Parameter begin: how many URLs the reader has.
    init(of instant: ServedInstant, after begin: Int, _ source: SnapshotSource) throws {
        let sample = try instant.sample(after: begin, where: Self.longLists, limit: Self.limit)
        lines = try [sample.special, sample.others].map { sample in
            var lines = Lines(count: sample.count)
            try instant.read(sample.entries) { entry, reader in
                lines.measured += 1
                lines.bytes += try source.line(entry, reader)?.readableBytes ?? 0
            }
            return lines
        }
    }
}
