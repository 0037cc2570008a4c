/// Whether a download that comes in parts gets on: a value that decides whether the rest is worth another request.
struct MediaProgress {
    /// The furthest so far, in bytes.
    private var best: Int
    /// Parts that brought next to nothing.
    private var crumbs = 0

    /// A part of less than this is a crumb, and so many of them are borne.
    private static let crumb = 16_384, patience = 64

    init(length: Int) { best = length }

    /// Whether too many parts brought next to nothing: a file of megabytes would take thousands of requests.
    var isCrumbs: Bool { crumbs > Self.patience }

    /// Takes in how far it is now.
    ///
    /// - Returns: whether that is further than ever before, and enough to go on.
    mutating func advances(to length: Int) -> Bool {
        guard length > best else { return false }
        if length - best < Self.crumb { crumbs += 1 }
        best = length
        return !isCrumbs
    }
}
