/// Where the body of an answer ends (RFC 9112, section 6.3).
enum AnswerFraming: Equatable {
    /// So many bytes follow the head; 0 where there never is a body.
    case bytes(Int)
    /// Chunks, or whatever comes until the connection ends, or contradictions: nothing that others can wait behind.
    case open

    /// - Parameter head: of the answer to a `GET`.
    init(_ head: ResponseHeadReader) {
        guard head.fields["Transfer-Encoding"] == nil, head.status != 101 else {
            self = .open
            return
        }
        if head.status == 204 || head.status == 304 {
            self = .bytes(0)
            return
        }
        // Several that differ are joined by a comma, and so are no number.
        guard let text = head.fields["Content-Length"], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(text)
        else {
            self = .open
            return
        }
        self = .bytes(count)
    }
}
