/// Looking single fields up without making an array for each: every request asks for a dozen.
extension HeaderFields {
    /// The value of the first field of that name; `nil` without one.
    package func firstValue(of name: String) -> String? {
        lines.withUnsafeBufferPointer { lines in
            for index in lines.indices where Self.isNamed(lines[index].name, name) {
                return lines[index].value
            }
            return nil
        }
    }

    /// Whether there is a field of that name.
    package func has(_ name: String) -> Bool {
        lines.withUnsafeBufferPointer { lines in
            for index in lines.indices where Self.isNamed(lines[index].name, name) { return true }
            return false
        }
    }

    /// As ``same(_:_:)``: most names differ in length, and nearly all that are the same are spelt alike.
    @inline(__always)
    static func isNamed(_ given: String, _ name: String) -> Bool {
        let given8 = given.utf8, name8 = name.utf8
        guard given8.count == name8.count else { return false }
        if given == name { return true }
        // Of two that are as long, most begin differently.
        return given8[given8.startIndex] | 0x20 == name8[name8.startIndex] | 0x20 && same(given, name)
    }
}
