import Hummingbird
import MirrorStore

/// Streams the lines of a snapshot: a first line, one line for each URL, and a last line that marks it as complete.
struct SnapshotStream {
    let instant: ServedSnapshot
    let source: ServedLeaves
    /// The number of URLs that the client has.
    let begin: Int
    /// Compresses the lines; `nil` for an uncompressed answer.
    let gzip: Gzip?

    /// The number of bytes after which a part ends.
    private static let partSize = 256 * 1024

    /// The response body.
    /// - Parameter token: retained until the last byte was sent.
    func body(holding token: some Sendable) -> ResponseBody {
        ResponseBody { writer in
            defer { instant.close() }
            var number = begin
            var (part, count) = try await offloadBlocking {
                let (part, count) = try head()
                return (try compressed(part), count)
            }
            while true {
                try await writer.write(part)
                guard number < count else { break }
                (part, number) = try await offloadBlocking { [number] in
                    let (part, last) = try lines(after: number)
                    return (try compressed(part), last)
                }
                count = max(count, number)
            }
            let end = ByteBuffer(string: "{\"end\":true,\"count\":\(count - begin)}\n")
            try await writer.write(compressed(end, isLast: true))
            try await writer.finish(nil)
            withExtendedLifetime(token) {}
        }
    }

    private func compressed(_ part: ByteBuffer, isLast: Bool = false) throws -> ByteBuffer {
        try gzip?.compressed(part, isLast: isLast) ?? part
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
                // A URL of the digest that isn't served is an internal error. The answer ends without its last line, so
                // that clients detect that it is incomplete.
                throw Refusal.failed
            }
            part.writeBuffer(&line)
            last = entry.number
            return part.readableBytes < Self.partSize
        }
        return (part, last)
    }

    /// Estimates the size of all lines before compression in bytes, within 10 %, for the first line.
    ///
    /// The estimate is based on lines evenly distributed over the snapshot. Lists of artworks and the partner's own lists
    /// vary most in size. They are sampled separately, and all of them up to ``sampleLimit``.
    private func size() throws -> Int {
        let sample = try instant.sample(after: begin, where: Self.longLists, limit: Self.sampleLimit)
        let sizes = try [sample.special, sample.others].map { sample in
            var bytes = 0
            try instant.read(sample.entries) { entry, reader in
                bytes += try source.line(entry, reader)?.readableBytes ?? 0
            }
            return Double(bytes) / Double(max(1, sample.entries.count)) * Double(sample.count)
        }
        return Self.frameSize + Int(sizes.reduce(0, +).rounded())
    }

    /// The maximum number of lines in each of the two samples.
    private static let sampleLimit = 1_500
    /// The size of the first and the last line together in bytes.
    private static let frameSize = 120
    private static let longLists = """
        url LIKE '%/artworks?%' OR url LIKE '%/artworks/all?%'
        OR (url LIKE '/partner/%?%' AND url NOT LIKE '/partner/%/%/%')
        """
}
