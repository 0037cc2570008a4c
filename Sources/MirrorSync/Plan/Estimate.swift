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
    package static func share(changed: Int, of sampled: Int, in total: Int) -> Estimate {
        guard total > 0 else { return Estimate(0, sampled: sampled) }
        guard sampled > 0 else { return Estimate(0, margin: Double(total), sampled: 0) }
        let n = Double(sampled), all = Double(total), share = Double(changed) / n
        guard sampled < total else { return Estimate(Double(changed), sampled: sampled) }
        let (low, high) = wilson(changed: changed, of: sampled)
        let narrowing = ((all - n) / (all - 1)).squareRoot()
        let margin = max(share - low, high - share) * narrowing * all
        return Estimate(share * all, margin: min(margin, all), sampled: sampled)
    }

    package static func wilson(changed: Int, of sampled: Int) -> (low: Double, high: Double) {
        let n = Double(sampled), share = Double(changed) / n, z = nineInTen
        let centre = (share + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        return (max(0, centre - half), min(1, centre + half))
    }

    /// The sum of `total` things of which some were measured.
    ///
    /// The error of the mean (Student's t), and the scatter of those that were not looked at.
    package static func sum(of total: Int, _ sizes: SizeHistory.Sizes, sampled: Int? = nil) -> Estimate {
        guard total > 0 else { return .zero }
        let n = Double(sizes.count), all = Double(total)
        // A single measurement, or a guess, says nothing of the scatter: as much again is allowed for.
        guard sizes.count > 1 else {
            return Estimate(sizes.mean * all, margin: sizes.mean * all, sampled: sampled)
        }
        let ofMean = sizes.variance / n * all * all
        let margin = studentT(sizes.count - 1) * (ofMean + sizes.variance * all).squareRoot()
        return Estimate(sizes.mean * all, margin: margin, sampled: sampled)
    }

    /// The sum over all of which some were chosen at random and measured; exact when all were.
    package static func total(of total: Int, sample: SizeHistory.Sizes) -> Estimate {
        guard total > 0, sample.count > 0 else { return .zero }
        guard sample.count < total else { return Estimate(sample.mean * Double(total), sampled: total) }
        guard sample.count > 1 else { return sum(of: total, sample, sampled: 1) }
        let n = Double(sample.count), all = Double(total)
        let margin = studentT(sample.count - 1) * (sample.variance / n * (1 - n / all)).squareRoot() * all
        return Estimate(sample.mean * all, margin: margin, sampled: sample.count)
    }

    /// So many things of that size: the number and the mean size are both uncertain.
    func times(_ size: SizeHistory.Sizes) -> Estimate {
        let ofSizes = Estimate.sum(of: rounded, size).margin
        let ofNumber = margin * size.mean
        return Estimate(
            value * size.mean, margin: (ofSizes * ofSizes + ofNumber * ofNumber).squareRoot(),
            sampled: sampled)
    }

    /// The 0.95 quantile of Student's distribution.
    package static func studentT(_ degrees: Int) -> Double {
        let table = [6.314, 6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812]
        if degrees < table.count { return table[max(0, degrees)] }
        // Cornish and Fisher's expansion, good to three digits from here on.
        let z = nineInTen, v = Double(degrees)
        return z + (z * z * z + z) / (4 * v)
    }
}

extension SizeHistory.Sizes {
    init(_ values: [Double]) {
        let mean = values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        self.init(
            count: values.count, mean: mean,
            variance: values.count > 1 ? squares / Double(values.count - 1) : 0)
    }
}
