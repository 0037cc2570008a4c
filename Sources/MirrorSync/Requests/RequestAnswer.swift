import Catalogue
import Foundation
import MirrorHTTP

/// The answer to a request for something of which a copy may be stored.
protocol RequestAnswer: Sendable {
    var head: ResponseHead { get }
    /// Whether the copy that is stored is current.
    var isCurrent: Bool { get }
}

extension Fetched: RequestAnswer {
    var isCurrent: Bool { if case .current = self { true } else { false } }

    /// Bytes of the answer's head; `nil` where the length of the body on the wire isn't known, or none was sent.
    var headBytes: Int? {
        guard head.receivedBytes > 0 else { return nil }
        guard case .body(let response) = self else { return head.receivedBytes }
        guard let body = response.headers["Content-Length"].flatMap({ Int($0) }) else { return nil }
        let bytes = response.receivedBytes - body
        return bytes > 0 ? bytes : nil
    }
}

extension RequestAnswer {
    /// The ETag that the server sent with it.
    var etag: String? { head.etag }

    /// When the server made or confirmed the answer, seconds since 1970: its `Date` less the `Age` that a cache on the
    /// way gave it. What our own cache holds is as old as the answer that has just confirmed it.
    var madeAt: Double? { head.date.map(madeAt) }

    func madeAt(date: Date) -> Double {
        let age = head.source == .revalidated ? head.ageOnArrival : head.age
        return date.timeIntervalSince1970 - Double(age)
    }

    /// Whether a cache gave it, on the way or here, and the server didn't confirm it just now.
    var isKept: Bool { head.source == .fresh || head.source == .stale || head.ageOnArrival > 0 }

    /// The moment behind the last change that the answer has, where the server says so: what `mirror serve` puts beside
    /// lists, so that nothing is sent twice because clocks differ.
    var changesEnd: Timestamp? { head.headers["Changes-End"].flatMap { Timestamp($0) } }

    /// Whether it is another version than the server has just said to have, and something on the way had kept it. What came
    /// straight from the server is newer.
    ///
    /// - Parameter known: the ETag that the request named as held.
    func isStale(announced: String?, known: String? = nil) -> Bool {
        guard let announced, isKept, let own = isCurrent ? known : etag else { return false }
        return !EntityTag.areSameOnTheWay(own, announced)
    }
}

extension EntityTag {
    /// Compared weakly (RFC 9110, section 8.8.3.2), and as what compresses on the way leaves it: `"a-gzip"` is `"a"`.
    fileprivate static func areSameOnTheWay(_ one: String, _ other: String) -> Bool {
        func opaque(_ etag: String) -> String {
            let tag = etag.hasPrefix("W/") ? String(etag.dropFirst(2)) : etag
            let coding = ["-gzip\"", "-br\"", "-zstd\""].first { tag.hasSuffix($0) }
            return coding.map { "\(tag.dropLast($0.count))\"" } ?? tag
        }
        return opaque(one) == opaque(other)
    }
}
