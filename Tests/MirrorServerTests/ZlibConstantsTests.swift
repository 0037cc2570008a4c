import CZlib
import Testing

/// Checks the handwritten declarations of `CZlib.h` and `CZlib.c` against the library itself.
@Suite struct ZlibConstantsTests {
    @Test(arguments: [
        (Z_OK, ""), (Z_STREAM_END, "stream end"), (Z_BUF_ERROR, "buffer error"),
        (Z_MEM_ERROR, "insufficient memory"),
    ])
    func zlibResultCodesEqualThoseOfTheLibrary(result: Int, text: String) {
        #expect(String(cString: zError(Int32(result))) == text)
    }

    @Test func zlibWasBuiltWithTheDeclaredIntegerAndPointerSizes() {
        let flags = zlibCompileFlags()
        let sizes = [0, 2, 4].map { 2 << (flags >> $0 & 3) }
        #expect(
            sizes == [
                MemoryLayout<CUnsignedInt>.size, MemoryLayout<CUnsignedLong>.size,
                MemoryLayout<UnsafeRawPointer>.size,
            ])
    }

    /// `deflateInit2_` rejects a stream structure of the wrong size.
    @Test func zlibAcceptsTheDeclaredStreamAndFlushModes() throws {
        let stream = try #require(czlib_deflate_begin(1))
        defer { czlib_deflate_end(stream) }
        func add(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
            var output = [UInt8](repeating: 0, count: 256), made = 0
            bytes.withUnsafeBufferPointer { bytes in
                var input = bytes.baseAddress, length = bytes.count
                let result = czlib_deflate_add(
                    stream, &input, &length, isLast ? 1 : 0, &output, output.count, &made)
                #expect(result == 0 && length == 0)
            }
            return Array(output.prefix(made))
        }
        let flushed = add(Array("abc".utf8), isLast: false)
        #expect(flushed.starts(with: [0x1F, 0x8B, 8]), "a gzip header, whose method is deflate")
        #expect(flushed.suffix(4) == [0, 0, 0xFF, 0xFF], "the empty block that ends a synchronising flush")
        let finished = add([], isLast: true)
        // CRC-32 of "abc" and its length, least significant byte first.
        #expect(finished.suffix(8) == [0xC2, 0x41, 0x24, 0x35, 3, 0, 0, 0])
    }
}
