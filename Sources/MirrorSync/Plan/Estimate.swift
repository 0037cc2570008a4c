import Catalogue
import Foundation
import MirrorStore

/// A number that is known with a margin: nine times in ten the truth lies within it.
public struct Estimate: Sendable, Hashable {
    public var value: Double
    /// On either side; 0 for what is exact.
    public var margin: Double
    /// How many were looked at for it; `nil` where nothing was sampled.
    public var sampled: Int?

    public init(_ value: Double, margin: Double = 0, sampled: Int? = nil) {
        self.value = value
        self.margin = margin
        self.sampled = sampled
    }

    public static let zero = Estimate(0)
    public var isExact: Bool { margin == 0 }
    public var rounded: Int { Int(value.rounded()) }
    public var roundedMargin: Int { Int(margin.rounded(.up)) }

    /// Independent errors add as the root of their squares.
    static func + (one: Estimate, other: Estimate) -> Estimate {
        let sampled =
            one.sampled == nil && other.sampled == nil ? nil : (one.sampled ?? 0) + (other.sampled ?? 0)
        return Estimate(
            one.value + other.value,
            margin: (one.margin * one.margin + other.margin * other.margin).squareRoot(),
            sampled: sampled)
    }

    static func += (one: inout Estimate, other: Estimate) { one = one + other }

    static func * (one: Estimate, factor: Double) -> Estimate {
        Estimate(one.value * factor, margin: one.margin * factor, sampled: one.sampled)
    }

    var json: JSONValue {
        var object: JSONObject = ["estimate": .integer(rounded), "margin": .integer(roundedMargin)]
        object["sampled"] = sampled.map(JSONValue.integer)
        return .object(object)
    }
}

extension Estimate {
    /// Nine times in ten: the normal distribution's 0.95 quantile.
    static let nineInTen = 1.645

    /// How many of `total` changed, as `changed` of `sampled` did.
    ///
    /// Wilson's score interval (1927), which keeps its word for shares near 0 and 1 too; narrowed for what was looked
    /// at, so that it is exact when all were.
    static func share(changed: Int, of sampled: Int, in total: Int) -> Estimate {
        guard total > 0 else { return Estimate(0, sampled: sampled) }
        guard sampled > 0 else { return Estimate(0, margin: Double(total), sampled: 0) }
        let n = Double(sampled), all = Double(total), share = Double(changed) / n
        guard sampled < total else { return Estimate(Double(changed), sampled: sampled) }
        let (low, high) = wilson(changed: changed, of: sampled)
        let narrowing = ((all - n) / (all - 1)).squareRoot()
        let margin = max(share - low, high - share) * narrowing * all
        return Estimate(share * all, margin: min(margin, all), sampled: sampled)
    }

    static func wilson(changed: Int, of sampled: Int) -> (low: Double, high: Double) {
        let n = Double(sampled), share = Double(changed) / n, z = nineInTen
        let centre = (share + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        return (max(0, centre - half), min(1, centre + half))
    }

    /// The sum of `total` things of which some were measured.
    ///
    /// The error of the mean (Student's t), and the scatter of those that were not looked at.
    static func sum(of total: Int, _ sizes: SizeHistory.Sizes) -> Estimate {
        guard total > 0 else { return .zero }
        let n = Double(sizes.count), all = Double(total)
        // A single measurement, or a guess, says nothing of the scatter: as much again is allowed for.
        guard sizes.count > 1 else {
            return Estimate(sizes.mean * all, margin: sizes.mean * all)
        }
        let ofMean = sizes.variance / n * all * all
        let margin = studentT(sizes.count - 1) * (ofMean + sizes.variance * all).squareRoot()
        return Estimate(sizes.mean * all, margin: margin)
    }

    /// So many things of that size: the number and the mean size are both uncertain.
    func times(_ size: SizeHistory.Sizes) -> Estimate {
        self * size.mean + Estimate(0, margin: Estimate.sum(of: rounded, size).margin)
    }

    /// The 0.95 quantile of Student's distribution.
    static func studentT(_ degrees: Int) -> Double {
        let table = [6.314, 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812]
        if degrees < table.count { return table[max(0, degrees)] }
        // Cornish and Fisher's expansion, good to three digits from here on.
        let z = nineInTen, v = Double(degrees)
        return z + (z * z * z + z) / (4 * v)
    }
}

/// Things that were looked at together, and what they came to: the artworks of a page and their bytes or pictures, the
/// pictures of an artwork and their bytes.
///
/// What stands together is alike, so a page of 500 artworks tells less than 500 that were drawn one by one: what counts
/// is how groups differ, and how many of them there were.
struct SampledGroup: Sendable, Hashable {
    let count: Double
    let sum: Double
}

extension [SampledGroup] {
    /// In all groups.
    var things: Double { reduce(0) { $0 + $1.count } }
    /// Of a single thing.
    var mean: Double { things > 0 ? reduce(0) { $0 + $1.sum } / things : 0 }
}

extension Estimate {
    /// The sum over so many things, of which some groups were drawn at random; exact when they are all.
    ///
    /// The ratio estimator of cluster sampling and its error (Cochran, *Sampling Techniques*, 6.3 and 9A.1).
    static func total(of total: Double, groups: [SampledGroup]) -> Estimate {
        let looked = groups.things, mean = groups.mean
        guard total > 0, looked > 0 else { return .zero }
        let value = mean * total
        guard looked < total else { return Estimate(value, sampled: Int(looked)) }
        let rest = 1 - looked / total
        let groupCount = Double(groups.filter { $0.count > 0 }.count)
        // A single group says nothing of how they differ: as much again is allowed for.
        guard groupCount > 1 else {
            return Estimate(value, margin: value * rest.squareRoot(), sampled: Int(looked))
        }
        let squares = groups.reduce(0) { sum, group in
            let error = group.sum - mean * group.count
            return sum + error * error
        }
        let variance = groupCount / (groupCount - 1) * squares / (looked * looked) * rest
        return Estimate(
            value, margin: studentT(Int(groupCount) - 1) * variance.squareRoot() * total,
            sampled: Int(looked))
    }

    /// An estimate of how many of something a number of things have, from groups drawn at random: exact only if all were drawn.
    ///
    /// That all groups were alike doesn't mean that the others are: of as many as a sample without any allows (Wilson),
    /// each may have one more.
    static func count(of total: Estimate, groups: [SampledGroup]) -> Estimate {
        let looked = groups.things
        var count = total.times(groups)
        count.sampled = (total.sampled ?? 0) + Int(looked)
        guard looked > 0, looked < total.value else { return count }
        count.margin = max(count.margin, wilson(changed: 0, of: Int(looked)).high * (total.value - looked))
        return count
    }

    /// So many things of the size of those that were looked at: both number and size are uncertain.
    func times(_ groups: [SampledGroup]) -> Estimate {
        self * groups.mean + Estimate(0, margin: Estimate.total(of: value, groups: groups).margin)
    }
}

/// Holds up to so many of a stream of unknown length, each with the same chance (algorithm R).
struct Reservoir<Element: Sendable>: Sendable {
    private(set) var chosen: [Element] = []
    /// How many there were to choose from.
    private(set) var seen = 0
    private let capacity: Int
    private var random: SplitMix

    init(capacity: Int, seed: UInt64) {
        self.capacity = capacity
        random = SplitMix(seed: seed)
    }

    mutating func offer(_ element: @autoclosure () -> Element) {
        seen += 1
        guard chosen.count == capacity else { return chosen.append(element()) }
        let place = random.next(below: UInt64(seen))
        if place < UInt64(capacity) { chosen[Int(place)] = element() }
    }
}

/// A small generator that is the same on every machine (SplitMix64).
package struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func next(below bound: UInt64) -> UInt64 { next(upperBound: bound) }
}
