/// The `Cache-Control` directives of a request or a response that a private cache must know.
///
/// The rules are those of RFC 9111, section 5.2, RFC 5861 and RFC 8246:
/// - `s-maxage` and `proxy-revalidate` (for shared caches) and `no-transform` (for caches that transform) are ignored.
/// - If a directive occurs twice, the first one counts (RFC 9111, section 4.2.1).
/// - A malformed directive is read as the stricter of its possible meanings.
package struct CacheControl: Sendable, Equatable {
    package var noStore = false
    /// `no-cache` without field names: the response is never reused without validation.
    package var noCache = false
    /// The header fields that a qualified `no-cache="…"` lists, in lower case. They are not stored.
    package var noCacheFields: [String] = []
    package var mustRevalidate = false
    package var mustUnderstand = false
    package var isPublic = false
    package var isPrivate = false
    package var immutable = false
    package var onlyIfCached = false
    /// In seconds; 0 if the value is malformed.
    package var maxAge: Double?
    /// In seconds; infinite if the directive has no value, `nil` if the value is malformed.
    package var maxStale: Double?
    package var minFresh: Double?
    package var staleIfError: Double?
    package var staleWhileRevalidate: Double?
    /// Whether the message has a `Cache-Control` field.
    package private(set) var isPresent = false

    package init(_ headers: HeaderFields) {
        self.init(headers.values(of: "Cache-Control"))
    }

    package init(_ values: [String]) {
        isPresent = !values.isEmpty
        var seen: Set<String> = []
        for directive in FieldList.members(values).map(Directive.init) {
            apply(directive, isFirst: seen.insert(directive.name).inserted)
        }
    }

    private mutating func apply(_ directive: Directive, isFirst: Bool) {
        switch directive.name {
        case "no-store": noStore = true
        case "no-cache":
            let fields = directive.value.map { FieldList.members([$0]).map(FieldList.lowered) } ?? []
            if fields.isEmpty { noCache = true } else { noCacheFields += fields }
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "immutable": immutable = true
        case "only-if-cached": onlyIfCached = true
        case "max-age" where isFirst: maxAge = directive.seconds ?? 0
        case "max-stale" where isFirst: maxStale = directive.value == nil ? .infinity : directive.seconds
        case "min-fresh" where isFirst: minFresh = directive.seconds
        case "stale-if-error" where isFirst: staleIfError = directive.seconds
        case "stale-while-revalidate" where isFirst: staleWhileRevalidate = directive.seconds
        default: break
        }
    }
}

/// One directive of a `Cache-Control` value: `name`, `name=token` or `name="quoted string"`.
private struct Directive {
    /// In lower case.
    let name: String
    /// Without quotes; `nil` if there is no `=`.
    private(set) var value: String?
    /// Whether there is white space around the `=`, an unterminated quoted string, or text after a quoted string.
    private var isMalformed = false

    /// The value as delta-seconds (RFC 9111, section 1.2.2); `nil` if it isn't a valid number of seconds.
    var seconds: Double? {
        isMalformed ? nil : value.flatMap { FieldList.deltaSeconds($0.utf8) }
    }

    /// - Parameter member: A member of the field's list, without surrounding white space.
    init(_ member: String) {
        let written = member.utf8.prefix { $0 != 0x3D }
        let name = written.prefix { !Self.isSpace($0) }
        self.name = FieldList.lowered(String(Substring(name)))
        // Text after a name without a value is ignored: `no-store x` is read as `no-store`.
        guard written.endIndex < member.endIndex else { return }
        var rest = member.utf8[written.endIndex...].dropFirst()
        isMalformed = name.endIndex < written.endIndex || rest.first.map(Self.isSpace) ?? false
        rest = rest.drop(while: Self.isSpace)
        guard rest.first == 0x22 else {
            value = String(Substring(rest))
            return
        }
        rest.removeFirst()
        var bytes: [UInt8] = []
        var isOpen = true
        while isOpen, let byte = rest.popFirst() {
            if byte == 0x22 {
                isOpen = false
            } else {
                bytes.append(byte == 0x5C ? rest.popFirst() ?? byte : byte)
            }
        }
        value = String(decoding: bytes, as: UTF8.self)
        isMalformed = isMalformed || isOpen || !rest.isEmpty
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
