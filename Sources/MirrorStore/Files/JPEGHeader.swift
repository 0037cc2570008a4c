/// Reads the header of a JPEG: its segments up to the first scan.
///
/// The size is in the frame header (`SOF`). A picture whose EXIF orientation is 5 to 8 is turned by 90° by browsers, so its
/// sides are swapped.
enum JPEGHeader {
    private enum Marker {
        static let start: UInt8 = 0xD8, end: UInt8 = 0xD9, scan: UInt8 = 0xDA, exif: UInt8 = 0xE1

        /// A frame header: 0xC0 to 0xCF, except the tables 0xC4 and 0xCC, and the reserved 0xC8.
        static func isFrame(_ marker: UInt8) -> Bool {
            (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
        }

        /// A marker without a segment: a restart, or 0x01.
        static func isAlone(_ marker: UInt8) -> Bool { (0xD0...0xD7).contains(marker) || marker == 0x01 }
    }

    static func size(_ bytes: inout HeaderBytes) -> PixelSize? {
        guard bytes.have([0xFF, Marker.start], at: 0) else { return nil }
        var position = 2, size: PixelSize?, orientation: Int?
        // The limit of `bytes` ends the loop: each turn moves forward, and no byte is read beyond the limit.
        while let marker = nextMarker(&position, &bytes), marker != Marker.scan, marker != Marker.end {
            if Marker.isAlone(marker) { continue }
            // The length includes its own two bytes.
            guard let length = bytes.bigEndian(at: position, count: 2), length >= 2 else { break }
            if Marker.isFrame(marker) {
                guard size == nil, length >= 8 else { return nil }
                size = PixelSize(
                    checking: bytes.bigEndian(at: position + 5, count: 2),
                    bytes.bigEndian(at: position + 3, count: 2))
                guard size != nil else { return nil }
            } else if marker == Marker.exif, orientation == nil {
                orientation = self.orientation(position + 2, end: position + length, &bytes)
            }
            position += length
        }
        return (5...8).contains(orientation ?? 1) ? size?.turned : size
    }

    /// The next marker, and moves behind it. As decoders do, this skips bytes that are no marker, and fill bytes.
    private static func nextMarker(_ position: inout Int, _ bytes: inout HeaderBytes) -> UInt8? {
        while let byte = bytes.byte(at: position) {
            position += 1
            guard byte == 0xFF else { continue }
            while bytes.byte(at: position) == 0xFF { position += 1 }
            guard let marker = bytes.byte(at: position) else { return nil }
            position += 1
            if marker != 0 { return marker }
        }
        return nil
    }

    /// The orientation in an EXIF segment, 1 to 8: tag 0x0112 in the first directory of its TIFF data.
    ///
    /// - Parameters:
    ///   - start: the first byte after the segment's length.
    ///   - end: the byte after the segment. No byte of another segment is used.
    /// - Returns: `nil` if the segment isn't EXIF, or has no valid orientation.
    private static func orientation(_ start: Int, end: Int, _ bytes: inout HeaderBytes) -> Int? {
        let tiff = start + 6
        guard tiff + 8 <= end, bytes.have([0x45, 0x78, 0x69, 0x66, 0, 0], at: start) else { return nil }
        let isLittle = bytes.have("II".utf8, at: tiff)
        guard isLittle || bytes.have("MM".utf8, at: tiff) else { return nil }
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset >= tiff, offset + count <= end else { return nil }
            return isLittle
                ? bytes.littleEndian(at: offset, count: count) : bytes.bigEndian(at: offset, count: count)
        }
        guard number(tiff + 2, 2) == 42, let directory = number(tiff + 4, 4),
            let count = number(tiff + directory, 2)
        else { return nil }
        for index in 0..<count {
            let entry = tiff + directory + 2 + 12 * index
            guard let tag = number(entry, 2) else { return nil }
            guard tag == 0x0112 else { continue }
            // One value of the type SHORT.
            guard number(entry + 2, 2) == 3, number(entry + 4, 4) == 1, let value = number(entry + 8, 2)
            else { return nil }
            return (1...8).contains(value) ? value : nil
        }
        return nil
    }
}
