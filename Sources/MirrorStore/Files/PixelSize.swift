/// The width and height of a picture in pixels, as a browser shows it.
///
/// They are read from the header of a JPEG, PNG, GIF or WebP file. Nothing is decoded, and at most ``HeaderBytes/limit`` bytes
/// are read.
package struct PixelSize: Sendable, Hashable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// 0 × 0: the file isn't a picture that a browser shows, or its header can't be read.
    package static let none = PixelSize(width: 0, height: 0)
    /// The largest width and height that are accepted.
    package static let maximum = 65_535

    /// The size, or `nil` if a side is 0, negative or larger than ``maximum``.
    init?(checking width: Int?, _ height: Int?) {
        guard let width, let height, (1...Self.maximum).contains(width),
            (1...Self.maximum).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// Reads the size from the beginning of a file.
    ///
    /// - Returns: `nil` if the bytes are no JPEG, PNG, GIF or WebP, if the header is cut off or invalid, or if a side is 0 or
    ///   larger than ``maximum``.
    package static func read(from bytes: HeaderBytes) -> PixelSize? {
        var bytes = bytes
        return PNGHeader.size(&bytes) ?? JPEGHeader.size(&bytes) ?? GIFHeader.size(&bytes)
            ?? WebPHeader.size(&bytes)
    }

    /// Reads the size from a file. A file that doesn't exist or can't be opened has none.
    package static func read(from file: StoredFile, in files: FileStore) -> PixelSize? {
        HeaderBytes.withFile(files.absolutePath(file), read) ?? nil
    }

    /// A picture whose sides are swapped, because it is shown turned by 90°.
    var turned: PixelSize { PixelSize(width: height, height: width) }
}

/// Reads the header of a PNG: its first chunk is `IHDR`.
enum PNGHeader {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func size(_ bytes: inout HeaderBytes) -> PixelSize? {
        guard bytes.have(signature, at: 0), bytes.bigEndian(at: 8, count: 4) == 13,
            bytes.have("IHDR".utf8, at: 12)
        else { return nil }
        return PixelSize(checking: bytes.bigEndian(at: 16, count: 4), bytes.bigEndian(at: 20, count: 4))
    }
}

/// Reads the header of a GIF: the size of its screen.
enum GIFHeader {
    static func size(_ bytes: inout HeaderBytes) -> PixelSize? {
        guard bytes.have("GIF87a".utf8, at: 0) || bytes.have("GIF89a".utf8, at: 0) else { return nil }
        return PixelSize(checking: bytes.littleEndian(at: 6, count: 2), bytes.littleEndian(at: 8, count: 2))
    }
}

/// Reads the header of a WebP, by its first chunk: lossy (`VP8 `), lossless (`VP8L`) or extended (`VP8X`).
enum WebPHeader {
    static func size(_ bytes: inout HeaderBytes) -> PixelSize? {
        guard bytes.have("RIFF".utf8, at: 0), bytes.have("WEBP".utf8, at: 8) else { return nil }
        if bytes.have("VP8 ".utf8, at: 12) { return lossy(&bytes) }
        if bytes.have("VP8L".utf8, at: 12) { return lossless(&bytes) }
        return bytes.have("VP8X".utf8, at: 12) ? extended(&bytes) : nil
    }

    /// A frame tag of three bytes, whose lowest bit is 0 for a key frame; a start code; two sizes of 14 bits.
    private static func lossy(_ bytes: inout HeaderBytes) -> PixelSize? {
        guard let tag = bytes.byte(at: 20), tag & 1 == 0, bytes.have([0x9D, 0x01, 0x2A], at: 23) else {
            return nil
        }
        // The two upper bits are a scale for the display, which browsers ignore.
        return PixelSize(
            checking: bytes.littleEndian(at: 26, count: 2).map { $0 & 0x3FFF },
            bytes.littleEndian(at: 28, count: 2).map { $0 & 0x3FFF })
    }

    /// A signature; width and height less 1, of 14 bits each.
    private static func lossless(_ bytes: inout HeaderBytes) -> PixelSize? {
        guard bytes.have([0x2F], at: 20), let bits = bytes.littleEndian(at: 21, count: 4) else { return nil }
        return PixelSize(checking: (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1)
    }

    /// The size of the canvas: width and height less 1, of 24 bits each.
    private static func extended(_ bytes: inout HeaderBytes) -> PixelSize? {
        PixelSize(
            checking: bytes.littleEndian(at: 24, count: 3).map { $0 + 1 },
            bytes.littleEndian(at: 27, count: 3).map { $0 + 1 })
    }
}
