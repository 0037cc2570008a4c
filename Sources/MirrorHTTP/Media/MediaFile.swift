/// A downloaded file: whole, checked and on the disk, under the temporary name it was asked for.
///
/// Giving it its final name is the store's business.
public struct MediaFile: Sendable, Hashable {
    public let path: String
    public let bytes: Int
    /// SHA-256 of the whole file, computed while it came.
    public let digest: [UInt8]
    /// By the file's own signature, not by what the server called it.
    public let type: MediaType
    public let etag: String?
    public let lastModified: String?
}

/// What a download brought.
public enum MediaOutcome: Sendable {
    case file(MediaFile)
    /// The copy made from the known entity tag is current; no file was made.
    case notModified(ResponseHead)
}

/// What is known of a file before it is asked for.
public struct MediaExpectation: Sendable, Hashable {
    /// In bytes; another length is an error.
    public var length: Int?
    /// SHA-256 of the file; another digest is an error.
    public var digest: [UInt8]?
    /// Whether it must have the signature of a picture: a web page that apologises is none.
    public var isPicture: Bool

    public init(length: Int? = nil, digest: [UInt8]? = nil, isPicture: Bool = false) {
        self.length = length
        self.digest = digest
        self.isPicture = isPicture
    }
}
