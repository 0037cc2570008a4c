/// Where the body of an answer ends (RFC 9112, section 6.3).
enum AnswerFraming: Equatable {
    /// So many bytes follow the head; 0 where there never is a body.
    case bytes(Int)
    /// Chunks, or whatever comes until the connection ends: as it should be, and nothing that others can wait behind.
    case open
    /// Contradictions, lengths that are none, or another protocol: what follows may be anything.
    case unclear

    /// Beyond this it is no length. What is added to one stays a number.
    private static let longest = 1 << 60

    /// - Parameter head: of the answer to a `GET`.
    init(_ head: ResponseHeadReader) {
        let length = head.fields["Content-Length"]
        if let coding = head.fields["Transfer-Encoding"] {
            self = length == nil && head.status >= 200 && coding.lowercased() == "chunked" ? .open : .unclear
            return
        }
        guard head.status != 101 else {
            self = .unclear
            return
        }
        if head.status == 204 || head.status == 304 {
            self = .bytes(0)
            return
        }
        guard let length else {
            self = .open
            return
        }
        // Several that differ are joined by a comma, and so are no number.
        guard length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(length),
            count <= Self.longest
        else {
            self = .unclear
            return
        }
        self = .bytes(count)
    }
}
