extension JSONValue {
    /// The one canonical form of the value in UTF-8: members sorted by key, no white space, the fewest escapes, numbers
    /// as they were written.
    ///
    /// Equal bytes in, equal bytes out, on every machine: entity tags are digests of these bytes.
    public var canonicalBytes: [UInt8] {
        var writer = CanonicalWriter()
        writer.write(self)
        return writer.bytes
    }

    /// ``canonicalBytes`` as text.
    public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }
}

extension JSONObject {
    /// The canonical form of the object; see ``JSONValue/canonicalBytes``.
    public var canonicalBytes: [UInt8] {
        var writer = CanonicalWriter()
        writer.write(self)
        return writer.bytes
    }

    /// ``canonicalBytes`` as text.
    public var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }
}

/// Appends values to a buffer in canonical form.
struct CanonicalWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1024) }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.lexeme.utf8)
        case .string(let text): write(text)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object): write(object)
        }
    }

    mutating func write(_ object: JSONObject) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in object.members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.key)
            bytes.append(UInt8(ascii: ":"))
            write(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ text: String) {
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { write($0) }
        if done == nil { Array(text.utf8).withUnsafeBufferPointer { write($0) } }
    }

    private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        if var p = text.baseAddress {
            let end = p + text.count
            while true {
                let run = p
                p = JSONText.plainRun(from: p, to: end)
                bytes.append(contentsOf: UnsafeBufferPointer(start: run, count: p - run))
                if p == end { break }
                escape(p.pointee)
                p += 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }
}
