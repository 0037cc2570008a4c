/// Decides which part of a file is sent (RFC 9110 section 14.2, and 13.1.5 for `If-Range`).
enum ByteRange: Hashable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable

    /// - Parameters:
    ///   - range: the `Range` header. One range of bytes is served; several, other units and broken ones are ignored, as
    ///     the RFC allows.
    ///   - condition: the `If-Range` header: with anything but exactly `etag` the whole file is sent.
    static func decide(range: String?, condition: String?, etag: String, size: Int64) -> ByteRange {
        guard let range, condition == nil || condition == etag else { return .whole }
        guard range.lowercased().hasPrefix("bytes=") else { return .whole }
        let spec = range.dropFirst("bytes=".count)
        let ends = spec.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return .whole }
        switch (first, last) {
        case (nil, nil): return .whole
        case (nil, let count?):
            guard count > 0, size > 0 else { return .unsatisfiable }
            return .part(max(0, size - count)..<size)
        case (let start?, let last):
            if let last, last < start { return .whole }
            guard start < size else { return .unsatisfiable }
            return .part(start..<(last.map { min($0, size - 1) } ?? size - 1) + 1)
        }
    }

    /// A number, an absent one (`.some(nil)`), or what is neither (`nil`). What is too large for us is as large as can be.
    private static func number(_ text: Substring) -> Int64?? {
        let text = text.trimming(while: { $0 == " " || $0 == "\t" })
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return .some(Int64(text) ?? Int64.max - 1)
    }
}

extension Substring {
    fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> Substring {
        var rest = drop(while: isTrimmed)
        while let last = rest.last, isTrimmed(last) { rest.removeLast() }
        return rest
    }
}
