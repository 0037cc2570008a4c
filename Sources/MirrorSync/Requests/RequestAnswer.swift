import Catalogue
import Foundation
import MirrorHTTP

/// The answer to a request for an object or list of which a copy may be stored.
protocol RequestAnswer: Sendable {
    var head: ResponseHead { get }
    /// Whether the stored copy is current.
    var isCurrent: Bool { get }
}

extension Fetched: RequestAnswer {
    var isCurrent: Bool { if case .current = self { true } else { false } }

    /// Bytes of the answer's head; `nil` if the body's transferred length is unknown, or if nothing was received.
    var headBytes: Int? {
        guard head.receivedBytes > 0 else { return nil }
        guard case .body(let response) = self else { return head.receivedBytes }
        guard let body = response.headers["Content-Length"].flatMap({ Int($0) }) else { return nil }
        let bytes = response.receivedBytes - body
        return bytes > 0 ? bytes : nil
    }
}

extension RequestAnswer {
    /// The answer's ETag.
    var etag: String? { head.etag }

    /// When the server made or confirmed the answer, in seconds since 1970; `nil` without a `Date`.
    ///
    /// It is the `Date` less the `Age` that an intermediate cache added. An answer in the mirror's own cache is as old as the
    /// 304 that has just confirmed it.
    var madeAt: Double? { head.date.map(madeAt) }

    /// When the server made or confirmed the answer, computed with this `Date`.
    func madeAt(date: Date) -> Double {
        let age = head.source == .revalidated ? head.ageOnArrival : head.age
        return date.timeIntervalSince1970 - Double(age)
    }

    /// Whether the answer is from the mirror's cache or an intermediate one, and the server has not just confirmed it.
    var isKept: Bool { head.source == .fresh || head.source == .stale || head.ageOnArrival > 0 }

    /// The moment after the last change that the answer includes; `nil` if the server doesn't state it.
    ///
    /// `mirror serve` sends it with lists, so that differing clocks don't cause changes to be sent twice.
    var changesEnd: Timestamp? { head.headers["Changes-End"].flatMap { Timestamp($0) } }

    /// Whether the answer is from a cache and has another ETag than the announced one. An answer that came directly from the
    /// server is not stale: it is newer than the announcement.
    ///
    /// - Parameters:
    ///   - announced: the ETag of the server's current version; `nil` if it announced none.
    ///   - known: the ETag of the stored version, which the request named.
    func isStale(announced: String?, known: String? = nil) -> Bool {
        guard let announced, isKept, let own = isCurrent ? known : etag else { return false }
        return !EntityTag.areSameOnTheWay(own, announced)
    }
}

extension EntityTag {
    /// Weak comparison (RFC 9110, section 8.8.3.2). Suffixes that compressing proxies add are ignored: `"a-gzip"` equals `"a"`.
    fileprivate static func areSameOnTheWay(_ one: String, _ other: String) -> Bool {
        func opaque(_ etag: String) -> String {
            let tag = etag.hasPrefix("W/") ? String(etag.dropFirst(2)) : etag
            let coding = ["-gzip\"", "-br\"", "-zstd\""].first { tag.hasSuffix($0) }
            return coding.map { "\(tag.dropLast($0.count))\"" } ?? tag
        }
        return opaque(one) == opaque(other)
    }
}
