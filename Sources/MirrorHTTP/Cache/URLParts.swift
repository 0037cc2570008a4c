/// Where the parts of a URL or relative reference stand in its bytes (RFC 3986, appendix B). The fragment is left out.
struct URLParts {
    let scheme: Range<Int>?
    let authority: Range<Int>?
    let path: Range<Int>
    let query: Range<Int>?

    init(_ text: UnsafeBufferPointer<UInt8>) {
        let end = text.firstIndex(of: 0x23) ?? text.endIndex
        let question = text[..<end].firstIndex(of: 0x3F)
        query = question.map { $0 + 1..<end }
        let pathEnd = question ?? end
        var start = 0
        if let colon = Self.endOfScheme(text[..<pathEnd]) {
            scheme = 0..<colon
            start = colon + 1
        } else {
            scheme = nil
        }
        if text[start..<pathEnd].starts(with: "//".utf8) {
            let slash = text[(start + 2)..<pathEnd].firstIndex(of: 0x2F) ?? pathEnd
            authority = start + 2..<slash
            start = slash
        } else {
            authority = nil
        }
        path = start..<pathEnd
    }

    private static func endOfScheme(_ text: UnsafeBufferPointer<UInt8>.SubSequence) -> Int? {
        guard let first = text.first, (0x61...0x7A).contains(URLBytes.lowered(first)) else { return nil }
        for index in text.indices {
            switch URLBytes.lowered(text[index]) {
            case 0x61...0x7A, 0x30...0x39, 0x2B, 0x2D, 0x2E: continue
            case 0x3A: return index
            default: return nil
            }
        }
        return nil
    }
}
