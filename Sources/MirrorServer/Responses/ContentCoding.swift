/// Which coding of an answer a client asks for (`Accept-Encoding`, RFC 9110, section 12.5.3).
enum ContentCoding {
    /// Whether it would rather have gzip than the bytes as they are. Who says nothing wouldn't, nor does who weighs that less, or
    /// in a way that can't be read.
    static func prefersGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var gzip: Double?, identity: Double?, any: Double?
        for member in field.split(separator: ",") {
            let parts = member.split(separator: ";").map {
                $0.filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            guard let name = parts.first, !name.isEmpty else { continue }
            let weights = parts.dropFirst().filter { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            let weight = weights.first ?? 1
            switch name {
            case "gzip", "x-gzip": gzip = max(gzip ?? 0, weight)
            case "identity": identity = weight
            case "*": any = weight
            default: break
            }
        }
        guard let wanted = gzip ?? any, wanted > 0 else { return false }
        return wanted >= identity ?? 0
    }
}
