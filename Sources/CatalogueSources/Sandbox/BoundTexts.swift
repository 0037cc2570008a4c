/// The bytes of ``SourceValues`` while they are bound to a statement.
///
/// `@unchecked Sendable`: nobody changes the bytes, and they outlive the query.
struct BoundTexts: @unchecked Sendable {
    fileprivate var body: UnsafeBufferPointer<CChar>
    fileprivate var page: UnsafeBufferPointer<CChar>?
    fileprivate var id: UnsafeBufferPointer<CChar>?
    fileprivate var base: UnsafeBufferPointer<CChar>?

    subscript(parameter: PreparedQuery.Parameter) -> UnsafeBufferPointer<CChar>? {
        switch parameter {
        case .body: body
        case .page: page
        case .id: id
        case .base: base
        }
    }

    var totalLength: Int {
        body.count + (page?.count ?? 0) + (id?.count ?? 0) + (base?.count ?? 0)
    }
}

extension SourceValues {
    /// Calls `body` with the texts' bytes, which are only valid during the call.
    func withBoundTexts<Result>(_ use: (BoundTexts) throws -> Result) rethrows -> Result {
        try Self.withBytes(of: body) { body in
            try Self.withBytes(of: page) { page in
                try Self.withBytes(of: id) { id in
                    try Self.withBytes(of: base) { base in
                        // `body` is not optional.
                        try use(BoundTexts(body: body ?? Self.empty, page: page, id: id, base: base))
                    }
                }
            }
        }
    }

    /// SQLite binds NULL for a null pointer, so that an empty text needs an address, too.
    nonisolated(unsafe) private static let empty: UnsafeBufferPointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return UnsafeBufferPointer(start: byte, count: 0)
    }()

    private static func withBytes<Result>(
        of text: String?, _ use: (UnsafeBufferPointer<CChar>?) throws -> Result
    ) rethrows -> Result {
        guard var text else { return try use(nil) }
        return try text.withUTF8 { bytes in
            try bytes.withMemoryRebound(to: CChar.self) { chars in
                try use(chars.baseAddress == nil ? empty : chars)
            }
        }
    }
}
