import Catalogue
import MirrorStore

/// A list whose line is too long to be held: its ids are read as they come.
struct LongList {
    enum Target {
        /// One of the partner's own.
        case own(Kind)
        /// Artworks that belong to something.
        case members(ListAnswer)
    }

    let url: String
    let target: Target
    /// Bytes of its body.
    private(set) var bytes = 0
    private var ids = ListedIDs()
    /// The last byte that came: that of the whole line closes the entry, and isn't of the list.
    private var last: UInt8?

    /// - Parameter begin: the first bytes of its body.
    init(_ url: String, _ target: Target, begin: UnsafeRawBufferPointer) {
        self.url = url
        self.target = target
        feed(begin)
    }

    mutating func feed(_ piece: UnsafeRawBufferPointer) {
        guard let end = piece.last else { return }
        if let last { withUnsafeBytes(of: last) { ids.feed($0) } }
        ids.feed(UnsafeRawBufferPointer(rebasing: piece.dropLast()))
        bytes += piece.count
        last = end
    }

    /// The line has ended.
    ///
    /// - Returns: whether it was a whole list.
    mutating func finish() -> Bool { ids.finish() && last == UInt8(ascii: "}") }

    /// How many ids were taken before, and those that came since.
    mutating func takeIDs() -> (before: Int, ids: [String]) { (ids.count, ids.take()) }
}
