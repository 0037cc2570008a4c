/// Appends values to a buffer in canonical form.
///
/// The buffer is plain memory of its own: room is made once for a string with what stands around it, and its bytes are
/// then stored without a further look at capacity or ownership.
struct CanonicalWriter: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0

    init(capacity: Int = 1024) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    deinit { start.deallocate() }

    /// What was written so far; valid until more is written.
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(plain: "null")
        case .bool(let value): write(plain: value ? "true" : "false")
        case .number(let number): write(plain: number.lexeme)
        case .string(let text): write(text)
        case .array(let elements):
            write(sign: "[")
            for index in elements.indices {
                if index > 0 { write(sign: ",") }
                write(elements[index])
            }
            write(sign: "]")
        case .object(let object): write(object)
        }
    }

    mutating func write(_ object: JSONObject) {
        write(sign: "{")
        let members = object.members
        for index in members.indices {
            if index > 0 { write(sign: ",") }
            write(members[index].name.text)
            write(sign: ":")
            write(members[index].value)
        }
        write(sign: "}")
    }

    private mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { write(quoted: $0) }
    }

    private mutating func write(quoted text: UnsafeBufferPointer<UInt8>) {
        makeRoom(for: text.count + 2)
        append(UInt8(ascii: "\""))
        if var p = text.baseAddress {
            let end = p + text.count
            while true {
                let run = p
                p = JSONText.plainRun(from: p, to: end)
                append(run, p - run)
                if p == end { break }
                // An escape has six bytes at most.
                makeRoom(for: 6 + (end - p) + 1)
                escape(p.pointee)
                p += 1
            }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            // Only control characters are left, so the first digit of the last two is 0 or 1.
            for byte in [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")] { append(byte) }
            append(UInt8(ascii: "0") + byte >> 4)
            let digit = byte & 15
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Text that needs no quotation marks.
    private mutating func write(plain text: String) {
        var text = text
        text.withUTF8 { bytes in
            makeRoom(for: bytes.count)
            if let first = bytes.baseAddress { append(first, bytes.count) }
        }
    }

    private mutating func write(sign: UnicodeScalar) {
        makeRoom(for: 1)
        append(UInt8(ascii: sign))
    }

    // MARK: The buffer

    /// Must have been made room for.
    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        start[count] = byte
        count += 1
    }

    /// Must have been made room for.
    @inline(__always)
    private mutating func append(_ bytes: UnsafePointer<UInt8>, _ number: Int) {
        (start + count).update(from: bytes, count: number)
        count += number
    }

    @inline(__always)
    private mutating func makeRoom(for more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    private mutating func grow(by more: Int) {
        let larger = max(2 * capacity, count + more)
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        new.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (new, larger)
    }
}
