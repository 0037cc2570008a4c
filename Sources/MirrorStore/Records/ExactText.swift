/// A text that equals only what has the same bytes.
///
/// Swift's own strings are equal when they are canonically equivalent: `é` as one scalar and as two. To a server these
/// are two ids, and two bodies.
package struct ExactText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        var left = left.text, right = right.text
        return left.withUTF8 { left in right.withUTF8 { sameBytes(left, $0) } }
    }

    /// Eight at a time: texts of half a megabyte are compared, and short ones by the ten thousand.
    package static func sameBytes(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard left.count == right.count else { return false }
        let early = UnsafeRawBufferPointer(left), late = UnsafeRawBufferPointer(right)
        var place = 0
        while place + 8 <= early.count {
            let word = early.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard word == late.loadUnaligned(fromByteOffset: place, as: UInt64.self) else { return false }
            place += 8
        }
        while place < early.count {
            guard early[place] == late[place] else { return false }
            place += 1
        }
        return true
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    package static func same(_ left: String?, _ right: String?) -> Bool {
        left.map(ExactText.init) == right.map(ExactText.init)
    }
}
