/// A downloaded file: complete, checked and on the disk, under its temporary name; the store gives it its final one.
public struct MediaFile: Sendable, Hashable {
    public let path: String
    public let bytes: Int
    /// SHA-256 of the file.
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

/// What is known of a file before it is requested.
public struct MediaExpectation: Sendable, Hashable {
    /// In bytes; another length is an error.
    public var length: Int?
    /// SHA-256 of the file; another digest is an error.
    public var digest: [UInt8]?
    /// Whether it must have the signature of a picture; a web page with an error message has none.
    public var isPicture: Bool

    public init(length: Int? = nil, digest: [UInt8]? = nil, isPicture: Bool = false) {
        self.length = length
        self.digest = digest
        self.isPicture = isPicture
    }
}

/// What a file is, by the signature in its first bytes.
public enum MediaType: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, tiff, avif, heic, bmp
    case pdf, zip, text, unknown

    /// How many of a file's first bytes ``init(signature:)`` looks at.
    public static let signatureLength = 512

    /// The bytes of a file's signature, and where they begin; the first match counts.
    private static let signatures: [(type: MediaType, offset: Int, bytes: [UInt8])] = [
        (.jpeg, 0, [0xFF, 0xD8, 0xFF]), (.png, 0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.gif, 0, Array("GIF87a".utf8)), (.gif, 0, Array("GIF89a".utf8)),
        (.webp, 8, Array("WEBP".utf8)), (.tiff, 0, [0x49, 0x49, 0x2A, 0]), (.tiff, 0, [0x4D, 0x4D, 0, 0x2A]),
        (.avif, 4, Array("ftypavif".utf8)), (.avif, 4, Array("ftypavis".utf8)),
        (.heic, 4, Array("ftypheic".utf8)), (.heic, 4, Array("ftypheix".utf8)),
        (.heic, 4, Array("ftypmif1".utf8)), (.bmp, 0, Array("BM".utf8)),
        (.pdf, 0, Array("%PDF-".utf8)), (.zip, 0, [0x50, 0x4B, 3, 4]),
    ]

    /// Recognises a file by its first bytes; any bytes are accepted, even none.
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

    public var isPicture: Bool { contentType.hasPrefix("image/") }

    public var contentType: String {
        switch self {
        case .jpeg, .png, .gif, .webp, .tiff, .avif, .heic, .bmp: "image/\(rawValue)"
        case .pdf: "application/pdf"
        case .zip: "application/zip"
        case .text: "text/plain; charset=utf-8"
        case .unknown: "application/octet-stream"
        }
    }

    /// UTF-8 without control characters; the first bytes may end within a character.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) }) else { return false }
        let tail = bytes.reversed().prefix { $0 & 0xC0 == 0x80 }.count
        let whole = tail < 4 && bytes.count > signatureLength - 4 ? bytes.dropLast(tail + 1) : bytes[...]
        return String(validating: whole, as: UTF8.self) != nil
    }
}
