/// The order of ids in a catalogue: whole numbers first, by number, then all others by code point.
public enum CatalogueOrder {
    /// Whether `left` stands before `right`. Numbers may be of any length; of equal ones (`7`, `007`) the code points
    /// decide.
    public static func precedes(_ left: String, _ right: String) -> Bool {
        switch (isWholeNumber(left), isWholeNumber(right)) {
        case (true, false): return true
        case (false, true): return false
        case (false, false): return UTF8Order.precedes(left, right)
        case (true, true):
            let a = left.utf8.drop { $0 == UInt8(ascii: "0") }
            let b = right.utf8.drop { $0 == UInt8(ascii: "0") }
            if a.count != b.count { return a.count < b.count }
            if a.elementsEqual(b) { return UTF8Order.precedes(left, right) }
            return a.lexicographicallyPrecedes(b)
        }
    }

    public static func sorted(_ ids: some Sequence<String>) -> [String] { ids.sorted(by: precedes) }

    private static func isWholeNumber(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.allSatisfy(\.isASCIIDigit)
    }
}
