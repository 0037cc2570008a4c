/// What a file is, by the signature in its first bytes.
public enum MediaType: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, tiff, avif, heic, bmp
    case pdf, zip, text, unknown

    /// How many of a file's first bytes ``init(signature:)`` looks at.
    public static let signatureLength = 512

    /// Recognises a file by its first bytes; anything will do, even none.
    public init(signature bytes: [UInt8]) {
        func has(_ text: StaticString, at offset: Int = 0) -> Bool {
            text.withUTF8Buffer { bytes.dropFirst(offset).starts(with: $0) }
        }
        func has(_ pattern: [UInt8]) -> Bool { bytes.starts(with: pattern) }
        if has([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webp
        } else if has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A]) {
            self = .tiff
        } else if has("ftypavif", at: 4) || has("ftypavis", at: 4) {
            self = .avif
        } else if has("ftypheic", at: 4) || has("ftypheix", at: 4) || has("ftypmif1", at: 4) {
            self = .heic
        } else if has("BM"), bytes.count >= 14, bytes[6..<10].allSatisfy({ $0 == 0 }) {
            self = .bmp
        } else if has("%PDF-") {
            self = .pdf
        } else if has([0x50, 0x4B, 3, 4]) {
            self = .zip
        } else if !bytes.isEmpty, Self.isText(bytes) {
            self = .text
        } else {
            self = .unknown
        }
    }

    public var isPicture: Bool {
        switch self {
        case .jpeg, .png, .gif, .webp, .tiff, .avif, .heic, .bmp: true
        case .pdf, .zip, .text, .unknown: false
        }
    }

    /// The ending of a file's name, without the dot.
    public var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .tiff: "tif"
        case .text: "txt"
        case .unknown: "bin"
        default: rawValue
        }
    }

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
