/// The name of a field, taken apart byte by byte: a page asks for thousands of them whether they are hidden.
struct FieldName {
    /// The name, in lower case.
    let text: String
    /// The words of a name such as `list_cost` or `listCost`, in lower case. What isn't an ASCII letter or digit ends a word.
    let words: [String]

    init(_ name: String) {
        var words: [[UInt8]] = [], isInWord = false, isAfterSmall = false
        for byte in name.utf8 {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            let isPart = isCapital || isSmall || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            if isPart {
                if !isInWord || isAfterSmall && isCapital { words.append([]) }
                words[words.count - 1].append(isCapital ? byte | 0x20 : byte)
            }
            (isInWord, isAfterSmall) = (isPart, isSmall)
        }
        self.words = words.map { String(decoding: $0, as: UTF8.self) }
        text = name.lowercased()
    }

    /// Whether a part, in lower case, occurs anywhere in the name.
    func contains(_ part: String) -> Bool {
        let name = text.utf8, part = part.utf8
        guard name.count >= part.count else { return false }
        return name.indices.dropLast(part.count - 1).contains { name[$0...].starts(with: part) }
    }
}
