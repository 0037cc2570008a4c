import Foundation

/// A text that is compared byte by byte.
///
/// Swift's strings are equal if they are canonically equivalent: `é` as one scalar equals `é` as two. For a server these are
/// two different ids, and two different bodies.
package struct ExactText: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        var left = left.text, right = right.text
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count, let leftStart = left.baseAddress,
                    let rightStart = right.baseAddress
                else {
                    return left.isEmpty && right.isEmpty
                }
                return memcmp(leftStart, rightStart, left.count) == 0
            }
        }
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    package static func same(_ left: String?, _ right: String?) -> Bool {
        left.map(ExactText.init) == right.map(ExactText.init)
    }
}
