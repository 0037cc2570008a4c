import MirrorHTTP
import MirrorStore

/// Lines of a snapshot that are written together.
struct SnapshotPart: Sendable {
    var writes: [Write] = []
    /// Bytes of their bodies.
    var bytes = 0
    /// Lines, those that brought nothing to write included.
    var lines = 0
    /// The last URL.
    var url = ""
    /// Why what came can't be taken for the whole catalogue, if it can't.
    var doubt: String?

    /// Small enough to be held twice: one is read while the other is written.
    var isFull: Bool { lines >= 400 || bytes >= 1 << 19 }
}
