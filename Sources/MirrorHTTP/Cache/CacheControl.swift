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
        var seen = Seen()
        for value in values { read(value, &seen) }
    }

    private mutating func read(_ value: String, _ seen: inout Seen) {
        isPresent = true
        var value = value
        value.withUTF8 { bytes in
            var scanner = DirectiveScanner(bytes)
            while let directive = scanner.next() { apply(directive, &seen) }
        }
    }

    /// Which of the directives with seconds occurred before.
    private struct Seen {
        var maxAge = false, maxStale = false, minFresh = false, staleIfError = false,
            staleWhileRevalidate = false
    }

    private mutating func apply(_ directive: DirectiveScanner.Directive, _ seen: inout Seen) {
        switch directive.name {
        case .noStore: noStore = true
        case .noCache:
            let fields = directive.value.map { FieldList.members([$0]).map(FieldList.lowered) } ?? []
            if fields.isEmpty { noCache = true } else { noCacheFields += fields }
        case .mustRevalidate: mustRevalidate = true
        case .mustUnderstand: mustUnderstand = true
        case .public: isPublic = true
        case .private: isPrivate = true
        case .immutable: immutable = true
        case .onlyIfCached: onlyIfCached = true
        case .maxAge: Self.first(&seen.maxAge, &maxAge, directive.seconds ?? 0)
        case .maxStale:
            Self.first(&seen.maxStale, &maxStale, directive.value == nil ? .infinity : directive.seconds)
        case .minFresh: Self.first(&seen.minFresh, &minFresh, directive.seconds)
        case .staleIfError: Self.first(&seen.staleIfError, &staleIfError, directive.seconds)
        case .staleWhileRevalidate:
            Self.first(&seen.staleWhileRevalidate, &staleWhileRevalidate, directive.seconds)
        case nil: break
        }
    }

    private static func first(_ seen: inout Bool, _ field: inout Double?, _ value: Double?) {
        if !seen { field = value }
        seen = true
    }
}
