/// Finds where one element of a list ends, by quotation marks and brackets alone, across any number of chunks.
///
/// What lies inside is judged later by the parser; these bounds only have to be right for valid JSON, and to end
/// somewhere for anything else.
struct ElementBounds {
    private enum Shape {
        case scalar
        case string
        case container
    }

    private let shape: Shape
    /// Whether the last byte of the element was seen.
    private(set) var isWhole = false
    /// Brackets open in a container.
    private var depth = 0
    private var inString = false
    private var escaped = false

    /// For before the first element.
    static let none = ElementBounds(.scalar)

    private init(_ shape: Shape) { self.shape = shape }

    /// - Parameter first: the element's first byte, which is not among the bytes that ``advance(from:to:)`` sees.
    ///   `nil` if no element begins so.
    init?(first: UInt8) {
        switch first {
        case UInt8(ascii: "\""): self.init(.string)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            self.init(.container)
            depth = 1
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"): return nil
        default: self.init(.scalar)
        }
    }

    /// Goes to behind the element's last byte, and sets ``isWhole``, or to the end of the chunk.
    mutating func advance(
        from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        switch shape {
        case .scalar: scalarEnd(start, end)
        case .string: stringEnd(start, end) { $0.isWhole = true }
        case .container: containerEnd(start, end)
        }
    }

    private mutating func scalarEnd(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        var p = start
        while p < end {
            if p.pointee.isJSONSpace || p.pointee == UInt8(ascii: ",") || p.pointee == UInt8(ascii: "]") {
                isWhole = true
                break
            }
            p += 1
        }
        return p
    }

    private mutating func stringEnd(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ closed: (inout Self) -> Void
    ) -> UnsafePointer<UInt8> {
        var p = start
        while p < end {
            if escaped {
                escaped = false
                p += 1
                continue
            }
            p = JSONText.plainRun(from: p, to: end)
            guard p < end else { break }
            let byte = p.pointee
            p += 1
            if byte == UInt8(ascii: "\\") { escaped = true }
            if byte == UInt8(ascii: "\"") {
                closed(&self)
                break
            }
        }
        return p
    }

    private mutating func containerEnd(
        _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        var p = start
        while p < end {
            if inString {
                p = stringEnd(p, end) { $0.inString = false }
                continue
            }
            let byte = p.pointee
            p += 1
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    isWhole = true
                    return p
                }
            default: break
            }
        }
        return p
    }
}
