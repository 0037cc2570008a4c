import Catalogue
import Foundation
import MirrorHTTP

/// Asks for the representation of a canonical URL, or of a list; conditionally where a copy is held.
struct FetchOperation: RequestOperation {
    let route: Route
    let knownETag: String?
    let cache: Request.CacheUse
    let limits: TransferLimits?
    /// What it is for.
    let subject: RequestSubject
    /// Whether all is requested past every cache and on no condition, so that what comes is what the server has.
    private let isReload: Bool

    /// Bytes of one object's body: some hundred times what the largest have. Many are held, and read, at the same time.
    static let objectLimit = 4 << 20

    /// - Parameters:
    ///   - known: the ETag that the stored copy was made from.
    ///   - cache: `.noCache` asks the server even if a cached answer is still fresh; `.bypass` keeps nothing of it.
    ///   - bodyLimit: in bytes; `nil` for the session's.
    ///   - isReload: requests unconditionally and past all caches (``SyncOptions/full``).
    init(
        _ route: Route, known: String? = nil, cache: Request.CacheUse = .use, bodyLimit: Int? = nil,
        isReload: Bool = false, subject: RequestSubject = .directory
    ) {
        self.subject = subject
        self.route = route
        self.knownETag = isReload ? nil : known
        self.cache = isReload && cache != .bypass ? .reload : cache
        self.isReload = isReload
        self.limits = bodyLimit.map { TransferLimits(body: $0) }
    }

    var endpoint: Request.Target {
        switch route.anchor {
        case .base: .relative(route.canonicalURL)
        case .beside: .beside(route.canonicalURL)
        }
    }

    var headers: HeaderFields {
        var headers = HeaderFields.acceptingJSON
        // Caches on the way take part in what our own doesn't see, too.
        if isReload { headers["Cache-Control"] = "no-cache" }
        return headers
    }

    /// Takes 200 and nothing else: a part (206), a promise (202), or what somebody on the way made of it (203) may name
    /// less than there is, and what a list doesn't name is deleted.
    func processResponse(_ fetched: Fetched) throws -> Fetched {
        if case .body(let response) = fetched, response.status != 200 {
            throw HTTPError(
                .badResponse,
                "The server answered with status \(response.status) where only 200 has all of it. Try again, or tell its owner.",
                status: response.status)
        }
        return fetched
    }
}

extension Fetched {
    /// Bytes of the answer's head; `nil` where the length of the body on the wire isn't known, or none was sent.
    var headBytes: Int? {
        guard head.receivedBytes > 0 else { return nil }
        guard case .body(let response) = self else { return head.receivedBytes }
        guard let body = response.headers["Content-Length"].flatMap({ Int($0) }) else { return nil }
        let bytes = response.receivedBytes - body
        return bytes > 0 ? bytes : nil
    }

    /// When the server made or confirmed the answer, seconds since 1970: its `Date` less the `Age` that a cache on the
    /// way gave it. What our own cache holds is as old as the answer that has just confirmed it.
    var madeAt: Double? { head.date.map(madeAt) }

    func madeAt(date: Date) -> Double {
        let age = head.source == .revalidated ? head.ageOnArrival : head.age
        return date.timeIntervalSince1970 - Double(age)
    }

    /// Whether a cache gave it, on the way or here, and the server didn't confirm it just now.
    var isKept: Bool { head.source == .fresh || head.source == .stale || head.ageOnArrival > 0 }
}

extension Fetched {
    /// Whether it is another version than the server has just said to have, and something on the way had kept it. What came
    /// straight from the server is newer.
    ///
    /// - Parameter known: the ETag that the request named as held.
    func isStale(announced etag: String?, known: String? = nil) -> Bool {
        guard let etag, isKept else { return false }
        switch self {
        case .body(let response): return response.etag.map { !Self.areSame($0, etag) } ?? false
        case .current: return known.map { !Self.areSame($0, etag) } ?? false
        }
    }

    /// Compared weakly (RFC 9110, section 8.8.3.2), and as what compresses on the way leaves it: `"a-gzip"` is `"a"`.
    private static func areSame(_ one: String, _ other: String) -> Bool {
        func opaque(_ etag: String) -> String {
            let tag = etag.hasPrefix("W/") ? String(etag.dropFirst(2)) : etag
            let coding = ["-gzip\"", "-br\"", "-zstd\""].first { tag.hasSuffix($0) }
            return coding.map { "\(tag.dropLast($0.count))\"" } ?? tag
        }
        return opaque(one) == opaque(other)
    }
}

extension Fetched {
    /// The moment behind the last change that the answer has, where the server says so: what `mirror serve` puts beside
    /// lists, so that nothing is sent twice because clocks differ.
    var changesEnd: Timestamp? { head.headers["Changes-End"].flatMap { Timestamp($0) } }
}

extension Response {
    /// The body as one JSON object.
    ///
    /// - Throws: ``HTTPError`` with a sentence that tells a web page from broken JSON.
    func jsonObject() throws -> JSONObject {
        do {
            guard case .object(let object) = try JSONValue(parsing: body) else {
                throw HTTPError(.notJSON, "The server answered with JSON that is not an object.")
            }
            return object
        } catch let error as JSONError {
            throw JSONBody.problem(self, cause: error)
        }
    }
}
