/// The content coding that a response's head names for its body (RFC 9110, section 8.4).
enum BodyCoding: Sendable, Hashable {
    /// None: the field is absent or empty, or says `identity`.
    case none
    /// `gzip`, or `x-gzip`, which is the same (section 8.4.1.3).
    case gzip
    /// Anything else, as it was sent: nobody asked for it. So is a list of two codings, be it `gzip, gzip`.
    case unknown(String)

    init(_ head: HeaderFields) {
        guard head.has("Content-Encoding") else {
            self = .none
            return
        }
        let names = FieldList.members(head.values(of: "Content-Encoding")).filter {
            !HeaderFields.same($0, "identity")
        }
        switch names.first {
        case nil: self = .none
        case let name? where names.count == 1 && Self.isGzip(name): self = .gzip
        default: self = .unknown(names.joined(separator: ", "))
        }
    }

    private static func isGzip(_ name: String) -> Bool {
        HeaderFields.same(name, "gzip") || HeaderFields.same(name, "x-gzip")
    }
}

extension TransportResponse {
    /// The head as the sink sees it: of a body that is decoded, the fields that describe its coded form are gone.
    init(status: Int, headers: HeaderFields, isDecoded: Bool) {
        self.init(status: status, headers: headers)
        guard isDecoded else { return }
        self.headers["Content-Encoding"] = nil
        self.headers["Content-Length"] = nil
    }

    /// Whether a body may follow this head.
    func mayHaveBody(method: String) -> Bool {
        method != "HEAD" && status != 204 && status != 304 && announcedLength(method: method) != 0
    }
}

extension TransportError {
    /// A body that was not decoded to its end.
    init(_ failure: GzipDecoder.Failure, _ ticket: SendTicket) {
        let host = ticket.target.authority
        switch failure {
        case .broken: self.init(.brokenCoding, "The gzip data that \(host) sent is damaged.")
        case .cutOff: self.init(.brokenCoding, "The gzip data that \(host) sent ends in the middle.")
        case .outOfMemory: self.init(.connectionLost, "There is no memory to decode what \(host) sent.")
        }
    }

    /// A body in a coding that was not asked for, and can't be decoded.
    init(unknownCoding name: String, _ ticket: SendTicket) {
        self.init(
            .unknownCoding,
            "\(ticket.target.authority) sends its answer with Content-Encoding \"\(name.prefix(40))\", which was not asked for."
        )
    }
}
