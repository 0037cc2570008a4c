/// The directives of `Cache-Control` that a private cache must know (RFC 9111, section 5.2; RFC 5861; RFC 8246),
/// of a request or of a response.
///
/// `s-maxage` and `proxy-revalidate` are for shared caches, `no-transform` for caches that transform: not looked at.
/// Of directives that occur twice the first counts (section 4.2.1); what is malformed is read as the stricter of
/// what it could mean.
package struct CacheControl: Sendable, Equatable {
    package var noStore = false
    /// Without field names: nothing is reused unvalidated.
    package var noCache = false
    /// The fields that a qualified `no-cache="…"` names, in lower case: they are not stored.
    package var noCacheFields: [String] = []
    package var mustRevalidate = false
    package var mustUnderstand = false
    package var isPublic = false
    package var isPrivate = false
    package var immutable = false
    package var onlyIfCached = false
    /// Seconds; 0 if its value is malformed.
    package var maxAge: Double?
    /// Seconds; infinite without a value, `nil` if its value is malformed.
    package var maxStale: Double?
    package var minFresh: Double?
    package var staleIfError: Double?
    package var staleWhileRevalidate: Double?
    /// Whether the field was there at all.
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
    /// Without quotes; `nil` if there was no `=`.
    private(set) var value: String?
    /// White space beside the `=`, an open quotation, or text after a quotation.
    private var isMalformed = false

    /// The value as delta-seconds; `nil` if it isn't that.
    var seconds: Double? {
        isMalformed ? nil : value.flatMap { FieldList.deltaSeconds($0.utf8) }
    }

    /// - Parameter member: of the field's list, without white space around it.
    init(_ member: String) {
        let written = member.utf8.prefix { $0 != 0x3D }
        let name = written.prefix { !Self.isSpace($0) }
        self.name = FieldList.lowered(String(Substring(name)))
        // Text after a name without a value: `no-store x` is taken for `no-store`.
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
