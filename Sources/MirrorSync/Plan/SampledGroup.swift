/// Things that were looked at together, and what they came to: the artworks of a page and their bytes or pictures, the
/// pictures of an artwork and their bytes.
///
/// What stands together is alike, so a page of 500 artworks tells less than 500 that were drawn one by one: what counts
/// is how groups differ, and how many of them there were.
package struct SampledGroup: Sendable, Hashable {
    package let count: Double
    package let sum: Double

    package init(count: Double, sum: Double) {
        self.count = count
        self.sum = sum
    }
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
    package static func total(of total: Double, groups: [SampledGroup]) -> Estimate {
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
    package static func count(of total: Estimate, groups: [SampledGroup]) -> Estimate {
        let looked = groups.things
        var count = total.times(groups)
        count.sampled = (total.sampled ?? 0) + Int(looked)
        guard looked > 0, looked < total.value else { return count }
        count.margin = max(count.margin, wilson(changed: 0, of: Int(looked)).high * (total.value - looked))
        return count
    }

    /// So many things of the size of those that were looked at: both number and size are uncertain.
    func times(_ groups: [SampledGroup]) -> Estimate {
        let ofSizes = Estimate.total(of: value, groups: groups).margin
        let ofNumber = margin * groups.mean
        return Estimate(
            value * groups.mean, margin: (ofSizes * ofSizes + ofNumber * ofNumber).squareRoot(),
            sampled: sampled)
    }
}
