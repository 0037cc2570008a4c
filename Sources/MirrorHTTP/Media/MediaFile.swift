/// A complete, checked file under its temporary name, synced to the disk. The store renames it.
public struct MediaFile: Sendable, Hashable {
    /// The path of the temporary file.
    public let path: String
    /// The length in bytes.
    public let bytes: Int
    /// SHA-256 of the file, 32 bytes.
    public let digest: [UInt8]
    /// The type by the file's signature; the server's `Content-Type` is ignored.
    public let type: MediaType
    /// The ETag of the response that completed the file; `nil` without one.
    public let etag: String?
    /// The `Last-Modified` of the response that completed the file; `nil` without one.
    public let lastModified: String?
}

/// The result of a download.
public enum MediaOutcome: Sendable {
    /// A new file.
    case file(MediaFile)
    /// The caller's copy with the known ETag is current; no file was created.
    case notModified(ResponseHead)
}

/// The properties that a downloaded file must have.
public struct MediaExpectation: Sendable, Hashable {
    /// The length in bytes; another length is an error. `nil`, the default: not checked.
    public var length: Int?
    /// SHA-256 of the file; another digest is an error. `nil`, the default: not checked.
    public var digest: [UInt8]?
    /// Whether the file must have the signature of a picture. Default `false`.
    ///
    /// This detects an error page that was sent instead of a picture.
    public var isPicture: Bool

    /// Creates an expectation. By default, nothing is checked.
    public init(length: Int? = nil, digest: [UInt8]? = nil, isPicture: Bool = false) {
        self.length = length
        self.digest = digest
        self.isPicture = isPicture
    }
}

/// The type of a file, by the signature in its first bytes.
public enum MediaType: String, Sendable, Hashable, CaseIterable {
    /// A picture.
    case jpeg, png, gif, webp, tiff, avif, heic, bmp
    /// Another file.
    case pdf, zip, text, unknown

    /// The number of first bytes that ``init(signature:)`` reads.
    public static let signatureLength = 512

    /// The signatures and their offsets in bytes; the first match counts.
    private static let signatures: [(type: MediaType, offset: Int, bytes: [UInt8])] = [
        (.jpeg, 0, [0xFF, 0xD8, 0xFF]), (.png, 0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, 0, Array("GIF87a".utf8)), (.gif, 0, Array("GIF89a".utf8)),
        (.webp, 8, Array("WEBP".utf8)), (.tiff, 0, [0x49, 0x49, 0x2A, 0]), (.tiff, 0, [0x4D, 0x4D, 0, 0x2A]),
        (.avif, 4, Array("ftypavif".utf8)), (.avif, 4, Array("ftypavis".utf8)),
        (.heic, 4, Array("ftypheic".utf8)), (.heic, 4, Array("ftypheix".utf8)),
        (.heic, 4, Array("ftypmif1".utf8)), (.bmp, 0, Array("BM".utf8)),
        (.pdf, 0, Array("%PDF-".utf8)), (.zip, 0, [0x50, 0x4B, 3, 4]),
    ]

    /// Determines the type from a file's first bytes; `unknown` if no signature matches.
    public init(signature bytes: [UInt8]) {
        let found = Self.signatures.first { type, offset, signature in
            guard bytes.dropFirst(offset).starts(with: signature) else { return false }
            return switch type {
            case .webp: bytes.starts(with: "RIFF".utf8)
            case .bmp: bytes.count >= 14 && bytes[6..<10].allSatisfy { $0 == 0 }
            default: true
            }
        }
        self = found?.type ?? (!bytes.isEmpty && Self.isText(bytes) ? .text : .unknown)
    }

    /// Whether the type is a picture.
    public var isPicture: Bool { contentType.hasPrefix("image/") }

    /// The media type for `Content-Type`, such as `image/jpeg`.
    public var contentType: String {
        switch self {
        case .jpeg, .png, .gif, .webp, .tiff, .avif, .heic, .bmp: "image/\(rawValue)"
        case .pdf: "application/pdf"
        case .zip: "application/zip"
        case .text: "text/plain; charset=utf-8"
        case .unknown: "application/octet-stream"
        }
    }

    /// Whether the bytes are UTF-8 without control characters. The last character may be incomplete.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) }) else { return false }
        let tail = bytes.reversed().prefix { $0 & 0xC0 == 0x80 }.count
        let complete = tail < 4 && bytes.count > signatureLength - 4 ? bytes.dropLast(tail + 1) : bytes[...]
        return String(validating: complete, as: UTF8.self) != nil
    }
}
