import Catalogue
import Hummingbird
import MirrorStore

/// What the `since` extension answers: the objects of a kind that changed, each as it is now, or that it is gone.
///
/// Only their ids are held all along. Bodies are read in parts as the connection takes them; each element is of one
/// instant, and says what is there when it is read, which may be newer than the change that it is here for.
struct SinceList {
    let store: CatalogueStore
    let kind: Kind
    let changed: [ChangedSince]

    /// A part ends behind so many bytes, or objects.
    private static let partSize = 128 * 1024, partCount = 500

    /// A list of one part is answered with its `Content-Length`; a longer one is streamed.
    ///
    /// - Parameter token: of several parts, held until the last byte was taken.
    func body(holding token: some Sendable) throws -> ResponseBody {
        let first = try part(from: 0)
        guard first.end < changed.count else { return ResponseBody(byteBuffer: first.bytes) }
        return ResponseBody { writer in
            var part = first
            try await writer.write(part.bytes)
            while part.end < changed.count {
                part = try await offloadBlocking { [end = part.end] in try self.part(from: end) }
                try await writer.write(part.bytes)
            }
            try await writer.finish(nil)
            withExtendedLifetime(token) {}
        }
    }

    private func part(from start: Int) throws -> (bytes: ByteBuffer, end: Int) {
        try store.served { reader in
            var list = ListWriter(after: start)
            while list.count < changed.count, list.size < Self.partSize,
                list.count - start < Self.partCount
            {
                try append(changed[list.count], to: &list, reader)
            }
            let end = list.count
            return (list.part(isLast: end == changed.count), end)
        }
    }

    private func append(_ change: ChangedSince, to list: inout ListWriter, _ reader: ServedReader) throws {
        guard let object = try reader.listed(kind, change.id) else {
            return list.append(tombstone: change.id, at: change.at)
        }
        let lists = try ObjectList.etags(of: Owner(kind, change.id), in: reader)
        list.append(id: change.id, etag: object.etag, lists: lists, object: object.body)
    }
}
