import Foundation
import Testing

@testable import MirrorStore

/// The headers are made by hand, so that every field is seen here.
@Suite("Sizes of pictures in pixels")
struct PixelSizeTests {
    private static func size(_ bytes: [UInt8]) -> [Int]? {
        PixelSize.read(from: HeaderBytes(bytes)).map { [$0.width, $0.height] }
    }

    // MARK: - JPEG

    /// A segment: the marker, the length, the content.
    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big(content.count + 2, 2) + content
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func little(_ number: Int, _ count: Int) -> [UInt8] { big(number, count).reversed() }

    private static func frame(_ width: Int, _ height: Int, marker: UInt8 = 0xC0) -> [UInt8] {
        segment(marker, [8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0])
    }

    /// An EXIF segment whose only entry is the orientation.
    private static func exif(
        _ orientation: Int, isLittle: Bool = false, tag: Int = 0x0112, type: Int = 3, count: Int = 1,
        entries: Int = 1, directory: Int = 8
    ) -> [UInt8] {
        func number(_ number: Int, _ count: Int) -> [UInt8] {
            isLittle ? little(number, count) : big(number, count)
        }
        let order = Array((isLittle ? "II" : "MM").utf8)
        let header = order + number(42, 2) + number(directory, 4) + number(entries, 2)
        let entry = number(tag, 2) + number(type, 2) + number(count, 4) + number(orientation, 2) + [0, 0]
        return segment(0xE1, Array("Exif\0\0".utf8) + header + entry + [0, 0, 0, 0])
    }

    private static let start: [UInt8] = [0xFF, 0xD8], scan: [UInt8] = [0xFF, 0xDA, 0, 2]

    @Test(
        arguments: [0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8])
    func everyFrameHeaderOfAJPEGHasTheSize(marker: UInt8) {
        #expect(Self.size(Self.start + Self.frame(640, 480, marker: marker) + Self.scan) == [640, 480])
    }

    @Test(arguments: [0xC4, 0xC8, 0xCC] as [UInt8])
    func tablesOfAJPEGAreNoFrameHeaders(marker: UInt8) {
        let table = Self.frame(1, 2, marker: marker)
        #expect(Self.size(Self.start + table + Self.frame(640, 480) + Self.scan) == [640, 480])
        #expect(Self.size(Self.start + table + Self.scan) == nil)
    }

    @Test(arguments: [
        (1, false), (2, false), (3, false), (4, false), (5, true), (6, true), (7, true), (8, true),
    ])
    func theSidesOfATurnedJPEGAreSwapped(orientation: Int, isTurned: Bool) {
        for isLittle in [false, true] {
            let exif = Self.exif(orientation, isLittle: isLittle)
            let found = Self.size(Self.start + exif + Self.frame(640, 480) + Self.scan)
            #expect(found == (isTurned ? [480, 640] : [640, 480]))
            // Some programs write it after the frame header.
            #expect(Self.size(Self.start + Self.frame(640, 480) + exif + Self.scan) == found)
        }
    }

    @Test func anInvalidOrientationIsIgnored() {
        let invalid: [[UInt8]] = [
            Self.exif(0), Self.exif(9), Self.exif(6, tag: 0x0113), Self.exif(6, type: 4),
            Self.exif(6, count: 2), Self.exif(6, entries: 0),
            Self.exif(6, entries: 0xFFFF, directory: 0xFFFF),
            Self.exif(6, directory: 0xFFFF_FFFF), Self.exif(6, directory: 18),
            Self.segment(0xE1, Array("Exif\0\0".utf8)), Self.segment(0xE1, []),
            Self.segment(0xE1, Array("Exif\0\0MM".utf8) + [0, 42, 0, 0]),
            Self.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/".utf8)),
            // The entry is behind the end of its segment.
            Self.segment(0xE1, Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3]),
        ]
        for exif in invalid {
            #expect(Self.size(Self.start + exif + Self.frame(640, 480) + Self.scan) == [640, 480], "\(exif)")
        }
        // The first EXIF segment counts.
        let two = Self.exif(1) + Self.exif(6)
        #expect(Self.size(Self.start + two + Self.frame(640, 480) + Self.scan) == [640, 480])
    }

    @Test func largeSegmentsOfAJPEGAreSkippedWithoutReadingThem() {
        let profile = (0..<40).flatMap { _ in Self.segment(0xE2, [UInt8](repeating: 0xFF, count: 65_533)) }
        #expect(profile.count > 2 * HeaderBytes.limit)
        #expect(Self.size(Self.start + profile + Self.frame(640, 480) + Self.scan) == [640, 480])
    }

    @Test func fillBytesAndRestartsOfAJPEGAreSkipped() {
        let filled: [UInt8] = [0xFF, 0xFF, 0xFF] + Self.frame(640, 480)
        #expect(
            Self.size(Self.start + [0x00, 0x7F, 0xFF, 0x00, 0xFF, 0xD0, 0xFF, 0x01] + filled) == [640, 480])
    }

    @Test func aJPEGWithoutAUsableFrameHasNoSize() {
        let broken: [[UInt8]] = [
            Self.frame(0, 480), Self.frame(640, 0), Self.scan + Self.frame(640, 480),
            [0xFF, 0xD9] + Self.frame(640, 480), Self.frame(640, 480) + Self.frame(1, 1), [],
            // Lengths that don't include themselves.
            [0xFF, 0xE0, 0, 0] + Self.frame(640, 480), [0xFF, 0xE0, 0, 1] + Self.frame(640, 480),
            [0xFF, 0xC0, 0, 7, 8, 1, 0, 1, 0, 1],
            // A segment that is longer than the file.
            [0xFF, 0xE0, 0xFF, 0xFF] + Self.frame(640, 480),
        ]
        for bytes in broken { #expect(Self.size(Self.start + bytes) == nil, "\(bytes)") }
    }

    // MARK: - Other formats

    private static func png(_ width: Int, _ height: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13, 4) + Array("IHDR".utf8) + big(width, 4)
            + big(height, 4) + [8, 2, 0, 0, 0]
    }

    private static func gif(_ width: Int, _ height: Int, version: String = "GIF89a") -> [UInt8] {
        Array(version.utf8) + little(width, 2) + little(height, 2) + [0, 0, 0]
    }

    private static func webp(_ chunk: String, _ content: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + little(content.count + 12, 4) + Array("WEBP\(chunk)".utf8)
            + little(content.count, 4) + content
    }

    private static func lossy(_ width: Int, _ height: Int, tag: UInt8 = 0) -> [UInt8] {
        webp("VP8 ", [tag, 0, 0, 0x9D, 0x01, 0x2A] + little(width, 2) + little(height, 2))
    }

    private static func lossless(_ width: Int, _ height: Int) -> [UInt8] {
        webp("VP8L", [0x2F] + little((width - 1) | (height - 1) << 14, 4))
    }

    private static func extended(_ width: Int, _ height: Int) -> [UInt8] {
        webp("VP8X", [0, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    private static let pictures: [([UInt8], [Int]?)] = [
        (png(640, 480), [640, 480]), (png(65_535, 1), [65_535, 1]), (png(65_536, 1), nil),
        (png(0x8000_0001, 1), nil), (png(0, 480), nil), (png(640, 0), nil),
        (gif(640, 480), [640, 480]), (gif(65_535, 65_535, version: "GIF87a"), [65_535, 65_535]),
        (gif(0, 480), nil), (gif(640, 480, version: "GIF88a"), nil),
        (lossy(640, 480), [640, 480]), (lossy(0xC000 | 640, 0x4000 | 480), [640, 480]),
        (lossy(640, 480, tag: 1), nil), (lossy(0, 480), nil), (lossless(640, 480), [640, 480]),
        (lossless(16_384, 16_384), [16_384, 16_384]), (extended(640, 480), [640, 480]),
        (extended(65_535, 1), [65_535, 1]), (extended(65_536, 1), nil), (webp("ALPH", [0]), nil),
    ]

    @Test(arguments: pictures)
    func theHeaderOfAPictureHasItsSize(bytes: [UInt8], size: [Int]?) {
        #expect(Self.size(bytes) == size)
        #expect(Self.size(bytes + [UInt8](repeating: 0, count: 100)) == size)
    }

    @Test(arguments: [
        (png(640, 480), 24), (gif(640, 480), 10), (lossy(640, 480), 30), (lossless(640, 480), 25),
        (extended(640, 480), 30), (start + frame(640, 480), 11),
    ])
    func aHeaderThatIsCutOffHasNoSize(bytes: [UInt8], needed: Int) {
        for length in 0..<needed { #expect(Self.size(Array(bytes[..<length])) == nil, "\(length) bytes") }
        #expect(Self.size(Array(bytes[..<needed])) == [640, 480])
    }

    @Test func otherFilesHaveNoSize() {
        for text in ["", "%PDF-1.7", "<svg width=\"640\" height=\"480\"/>", "II*\0", "BM", "RIFF    WAVE"] {
            #expect(Self.size(Array(text.utf8)) == nil, "\(text)")
        }
    }

    // MARK: - Limits

    @Test(arguments: [
        // Endless fill bytes, no markers, the shortest segments, and long ones.
        [UInt8](repeating: 0xFF, count: 3 << 20), [UInt8](repeating: 0, count: 3 << 20),
        (0..<700_000).flatMap { _ in [0xFF, 0xE0, 0, 2] as [UInt8] },
        (0..<400).flatMap { _ in segment(0xE0, [UInt8](repeating: 0, count: 9_000)) },
    ])
    func aHostileFileIsReadUpToALimit(content: [UInt8]) {
        #expect(Self.size(Self.start + content + Self.frame(640, 480)) == nil)
    }

    @Test func theBytesThatAreReadAreCounted() {
        var bytes = HeaderBytes([UInt8](repeating: 7, count: 10_000))
        #expect(bytes.byte(at: 0) == 7 && bytes.byte(at: 4_095) == 7)
        #expect(bytes.remaining == HeaderBytes.limit - 4_096)
        for _ in 0..<1_000 { _ = (bytes.byte(at: 9_000), bytes.byte(at: 0)) }
        #expect(bytes.remaining == 0 && bytes.byte(at: 5_000) == nil)
        #expect(bytes.byte(at: -1) == nil && bytes.byte(at: .max) == nil)
    }

    // MARK: - In the store

    private func store(_ bytes: [UInt8], _ test: TestStore) throws -> StoredFile {
        let file = try test.folder.files.store(bytes, type: "image/png")
        try test.store.noteFiles([file])
        return file
    }

    @Test func sizesOfOlderFilesAreReadOnceInBatches() throws {
        let test = try TestStore(), files = test.folder.files
        let picture = try store(Self.png(640, 480), test), text = try store(Array("text".utf8), test)
        let gone = StoredFile(hash: String(repeating: "0", count: 64), size: 1, path: "media/00/0", type: nil)
        try test.store.noteFiles([gone])
        // A page reads the header itself, and writes nothing.
        #expect(try test.store.pixelSize(of: picture, in: files) == PixelSize(width: 640, height: 480))
        #expect(try test.scalar("SELECT count(*) FROM file WHERE width IS NULL") == 3)
        #expect(try test.store.readPixelSizes(in: files, limit: 2) == 2)
        #expect(try test.store.readPixelSizes(in: files, limit: 2) == 1)
        #expect(try test.store.readPixelSizes(in: files) == 0)
        #expect(try test.scalar("SELECT count(*) FROM file WHERE width = 0 AND height = 0") == 2)
        try FileManager.default.removeItem(atPath: files.absolutePath(picture))
        #expect(try test.store.pixelSize(of: picture, in: files) == PixelSize(width: 640, height: 480))
        #expect(try test.store.pixelSize(of: text, in: files) == nil)
        #expect(try test.store.pixelSize(of: gone, in: files) == nil)
    }

    @Test func filesWithoutASizeAreFoundByAnIndex() throws {
        let test = try TestStore()
        let plan = try test.store.read { db in
            try db.rows("EXPLAIN QUERY PLAN SELECT hash FROM file WHERE width IS NULL LIMIT 500")
                .map { $0["detail"] as String }
        }
        #expect(plan.joined().contains("file_without_size"))
    }
}
