import Hummingbird
import MirrorStore

/// The lines of a snapshot: a head, one for each URL, and an end by which the reader knows that nothing is missing.
struct SnapshotStream {
    let instant: ServedInstant
    let source: ServedLeaves
    /// How many URLs the reader has.
    let begin: Int
    /// What packs the lines; `nil` if they go as they are.
    let gzip: Gzip?

    /// The bytes after which a part ends.
    private static let partSize = 256 * 1024

    /// - Parameter token: held until the last byte was taken.
    func body(holding token: some Sendable) -> ResponseBody {
        ResponseBody { writer in
            defer { instant.close() }
            var number = begin
            var (part, count) = try await offloadBlocking {
                let (part, count) = try head()
                return (try packed(part), count)
            }
            while true {
                try await writer.write(part)
                guard number < count else { break }
                (part, number) = try await offloadBlocking { [number] in
                    let (part, last) = try lines(after: number)
                    return (try packed(part), last)
                }
                count = max(count, number)
            }
            let end = ByteBuffer(string: "{\"end\":true,\"count\":\(count - begin)}\n")
            try await writer.write(packed(end, ends: true))
            try await writer.finish(nil)
            withExtendedLifetime(token) {}
        }
    }

    private func packed(_ part: ByteBuffer, ends: Bool = false) throws -> ByteBuffer {
        try gzip?.packed(part, ends: ends) ?? part
    }

    private func head() throws -> (ByteBuffer, count: Int) {
        let count = try instant.count()
        let bytes = try size()
        let event = try instant.event().map { "\"event_id\":\"\($0.text)\"," } ?? ""
        return (ByteBuffer(string: "{\(event)\"count\":\(count - begin),\"bytes\":\(bytes)}\n"), count)
    }

    private func lines(after number: Int) throws -> (ByteBuffer, last: Int) {
        var part = ByteBuffer()
        part.reserveCapacity(Self.partSize + (64 << 10))
        var last = number
        try instant.read(after: number) { entry, reader in
            guard var line = try source.line(entry, reader) else {
                // The digest has what is served at this instant; anything else is a fault of this server's, which ends the
                // answer before its end, so that nobody takes it for whole.
                throw Refusal.failed
            }
            part.writeBuffer(&line)
            last = entry.number
            return part.readableBytes < Self.partSize
        }
        return (part, last)
    }

    /// About how many bytes the lines are before compression, within a tenth: what the first line announces.
    ///
    /// Lines are measured that are spread evenly over all. Lists of artworks, and the partner's own lists, are measured apart
    /// and, up to ``measured``, all of them: one may name a whole collection.
    private func size() throws -> Int {
        let sample = try instant.sample(after: begin, where: Self.longLists, limit: Self.measured)
        let sizes = try [sample.special, sample.others].map { sample in
            var bytes = 0
            try instant.read(sample.entries) { entry, reader in
                bytes += try source.line(entry, reader)?.readableBytes ?? 0
            }
            return Double(bytes) / Double(max(1, sample.entries.count)) * Double(sample.count)
        }
        return Self.ends + Int(sizes.reduce(0, +).rounded())
    }

    /// How many lines are measured of either at most.
    private static let measured = 1_500
    /// Bytes of the first line and the last.
    private static let ends = 120
    private static let longLists = """
        url LIKE '%/artworks?%' OR url LIKE '%/artworks/all?%'
        OR (url LIKE '/partner/%?%' AND url NOT LIKE '/partner/%/%/%')
        """
}
