import Catalogue
import Foundation
import MirrorStore

/// A number with a margin of error: a 90 % confidence interval.
public struct Estimate: Sendable, Hashable {
    /// The estimated number.
    public var value: Double
    /// Half the width of the interval: the true number is within `value ± margin` in 90 % of cases; 0 for an exact number.
    public var margin: Double
    /// The size of the sample; `nil` if nothing was sampled.
    public var sampled: Int?

    /// Creates an estimate; by default an exact one.
    public init(_ value: Double, margin: Double = 0, sampled: Int? = nil) {
        self.value = value
        self.margin = margin
        self.sampled = sampled
    }

    /// Exactly 0.
    public static let zero = Estimate(0)
    /// Whether the margin is 0.
    public var isExact: Bool { margin == 0 }
    /// The value, rounded to the nearest integer.
    public var rounded: Int { Int(value.rounded()) }
    /// The margin, rounded up.
    public var roundedMargin: Int { Int(margin.rounded(.up)) }

    /// Adds independent errors as the root of the sum of their squares.
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
    /// The 0.95 quantile of the normal distribution, for an interval of 90 %.
    static let normalQuantile = 1.645

    /// Estimates how many of `total` items changed if `changed` of `sampled` did.
    ///
    /// Uses Wilson's score interval (1927), which is valid for shares near 0 and 1 too. The finite population correction
    /// narrows it, so that it is exact when every item was sampled.
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

    /// Wilson's score interval for a share.
    static func wilson(changed: Int, of sampled: Int) -> (low: Double, high: Double) {
        let n = Double(sampled), share = Double(changed) / n, z = normalQuantile
        let centre = (share + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        return (max(0, centre - half), min(1, centre + half))
    }

    /// Estimates the sum of `total` sizes, some of which were measured.
    ///
    /// The margin combines the error of the mean (Student's t) with the variance of the sizes that were not measured.
    static func sum(of total: Int, _ sizes: SizeHistory.Sizes) -> Estimate {
        guard total > 0 else { return .zero }
        let n = Double(sizes.count), all = Double(total)
        // A single measurement, or a guess, has no variance: the margin is as large as the value.
        guard sizes.count > 1 else {
            return Estimate(sizes.mean * all, margin: sizes.mean * all)
        }
        let ofMean = sizes.variance / n * all * all
        let margin = studentT(sizes.count - 1) * (ofMean + sizes.variance * all).squareRoot()
        return Estimate(sizes.mean * all, margin: margin)
    }

    /// The total size of this number of items; both the number and the mean size are uncertain.
    func times(_ size: SizeHistory.Sizes) -> Estimate {
        self * size.mean + Estimate(0, margin: Estimate.sum(of: rounded, size).margin)
    }

    /// The 0.95 quantile of Student's distribution.
    static func studentT(_ degrees: Int) -> Double {
        let table = [6.314, 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812]
        if degrees < table.count { return table[max(0, degrees)] }
        // The Cornish–Fisher expansion has an accuracy of three digits from 11 degrees of freedom on.
        let z = normalQuantile, v = Double(degrees)
        return z + (z * z * z + z) / (4 * v)
    }
}

/// A cluster of items that were sampled together, with the sum of their values.
///
/// For example, the artworks of one page with their bytes or their number of pictures, or the pictures of one artwork with
/// their bytes. Neighbours resemble each other, so a page of 500 artworks is a poorer sample than 500 artworks drawn one by
/// one. The error therefore depends on the number of groups and on how much the groups differ.
struct SampledGroup: Sendable, Hashable {
    let count: Double
    let sum: Double
}

extension [SampledGroup] {
    /// The number of items in all groups.
    var itemCount: Double { reduce(0) { $0 + $1.count } }
    /// The mean value of an item.
    var mean: Double { itemCount > 0 ? reduce(0) { $0 + $1.sum } / itemCount : 0 }
}

extension Estimate {
    /// Estimates the sum over `total` items from groups drawn at random; exact if the groups contain every item.
    ///
    /// Uses the ratio estimator of cluster sampling and its error (Cochran, *Sampling Techniques*, 6.3 and 9A.1).
    static func total(of total: Double, groups: [SampledGroup]) -> Estimate {
        let sampledCount = groups.itemCount, mean = groups.mean
        guard total > 0, sampledCount > 0 else { return .zero }
        let value = mean * total
        guard sampledCount < total else { return Estimate(value, sampled: Int(sampledCount)) }
        let rest = 1 - sampledCount / total
        let groupCount = Double(groups.filter { $0.count > 0 }.count)
        // A single group doesn't show how much groups differ: the margin is nearly as large as the value.
        guard groupCount > 1 else {
            return Estimate(value, margin: value * rest.squareRoot(), sampled: Int(sampledCount))
        }
        let squares = groups.reduce(0) { sum, group in
            let error = group.sum - mean * group.count
            return sum + error * error
        }
        let variance = groupCount / (groupCount - 1) * squares / (sampledCount * sampledCount) * rest
        return Estimate(
            value, margin: studentT(Int(groupCount) - 1) * variance.squareRoot() * total,
            sampled: Int(sampledCount))
    }

    /// Estimates how many parts `total` items have together, from groups drawn at random; exact only if every item was drawn.
    ///
    /// Even if all sampled groups are alike, the other items may differ. The margin therefore allows one more part for as
    /// many items as Wilson's interval allows after a sample without any.
    static func count(of total: Estimate, groups: [SampledGroup]) -> Estimate {
        let sampledCount = groups.itemCount
        var count = total.times(groups)
        count.sampled = (total.sampled ?? 0) + Int(sampledCount)
        guard sampledCount > 0, sampledCount < total.value else { return count }
        count.margin = max(
            count.margin, wilson(changed: 0, of: Int(sampledCount)).high * (total.value - sampledCount))
        return count
    }

    /// The total size of this number of items, whose mean size was sampled; both the number and the size are uncertain.
    func times(_ groups: [SampledGroup]) -> Estimate {
        self * groups.mean + Estimate(0, margin: Estimate.total(of: value, groups: groups).margin)
    }
}

/// A random sample of a stream of unknown length: each element has the same chance to be chosen (algorithm R).
struct Reservoir<Element: Sendable>: Sendable {
    private(set) var chosen: [Element] = []
    /// The number of elements that were offered.
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
        let index = random.next(below: UInt64(seen))
        if index < UInt64(capacity) { chosen[Int(index)] = element() }
    }
}

/// A small random number generator with the same output on every platform (SplitMix64).
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
