/// A file in the mirror's folder, named by what is in it.
public struct StoredFile: Sendable, Hashable {
    /// SHA-256 of the bytes, 64 hex digits.
    public let hash: String
    public let size: Int64
    /// Relative to the mirror's folder: `media/ab/abcd….jpg`.
    public let path: String
    /// Media type, such as `image/jpeg`.
    public let type: String?

    public init(hash: String, size: Int64, path: String, type: String?) {
        self.hash = hash
        self.size = size
        self.path = path
        self.type = type
    }
}
