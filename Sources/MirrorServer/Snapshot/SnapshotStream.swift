import Catalogue
import Hummingbird
import MirrorStore

/// The lines of a snapshot: a head, one for each URL, and an end by which the reader knows that nothing is missing.
struct SnapshotStream {
    let instant: ServedInstant
    let source: SnapshotSource
    /// How many URLs the reader has.
    let begin: Int
    /// What packs the lines; `nil` if they go as they are.
    let gzip: Gzip?

    /// A part ends behind so many bytes.
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
        let bytes = try SnapshotSize(of: instant, after: begin, source).bytes
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
}
