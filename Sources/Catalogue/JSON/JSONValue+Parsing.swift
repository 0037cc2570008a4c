extension JSONValue {
    /// Reads the one JSON value that `bytes` hold, white space around it and a byte order mark before it aside.
    ///
    /// Nesting beyond 512 levels, invalid UTF-8 and anything behind the value are refused. Of members with one key the
    /// last wins; a lone surrogate in a `\u` escape reads as U+FFFD.
    /// - Throws: ``JSONError`` with the offset in bytes.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(JSONError) {
        var isCanonical = false
        self = try JSONValue(reading: bytes, &isCanonical)
    }

    /// Reads a value that stands within a text, where no byte order mark may be.
    init(inner bytes: UnsafeRawBufferPointer) throws(JSONError) {
        var isCanonical = false
        self = try JSONValue(reading: bytes, isInner: true, &isCanonical)
    }

    private init(
        reading bytes: UnsafeRawBufferPointer, isInner: Bool = false, _ isCanonical: inout Bool
    ) throws(JSONError) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            throw JSONError(.truncated, at: 0, "There is no JSON: the input is empty.")
        }
        var parser = JSONParser(start: base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        if !isInner { parser.skipMark() }
        self = try parser.document()
        isCanonical = parser.isCanonical
    }

    /// Reads the one JSON value that `bytes` hold; see ``init(parsing:)-(UnsafeRawBufferPointer)``.
    ///
    /// An object in canonical form keeps `bytes`, and is written again at no cost.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        var isCanonical = false
        let value = try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            try JSONValue(reading: UnsafeRawBufferPointer(buffer), &isCanonical)
        }
        if isCanonical, case .object(let object) = value {
            self = .object(JSONObject(object, source: bytes))
        } else {
            self = value
        }
    }

    /// Reads the one JSON value that `text` holds; see ``init(parsing:)-(UnsafeRawBufferPointer)``.
    public init(parsing text: String) throws(JSONError) {
        let fast = text.utf8.withContiguousStorageIfAvailable { buffer in
            Result { () throws(JSONError) in try JSONValue(parsing: UnsafeRawBufferPointer(buffer)) }
        }
        guard let fast else {
            self = try JSONValue(parsing: Array(text.utf8))
            return
        }
        self = try fast.get()
    }
}
