/// The byte order mark of UTF-8, which some servers write before their JSON.
///
/// A reader may pass over it at the start of a text (RFC 8259, section 8.1); anywhere else it is an error.
package enum ByteOrderMark {
    package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    package static let length = 3

    package static func begins(_ text: UnsafeRawBufferPointer) -> Bool {
        text.count >= length && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
    }
}
