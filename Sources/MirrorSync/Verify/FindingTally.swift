/// Passes findings on and counts them; none is kept.
final class FindingTally {
    private(set) var counts: [Finding.What: Int] = [:]
    private let tell: (Finding) -> Void

    init(_ tell: @escaping (Finding) -> Void) { self.tell = tell }

    func has(_ what: Finding.What) -> Bool { counts[what, default: 0] > 0 }

    func note(_ finding: Finding) {
        counts[finding.what, default: 0] += 1
        tell(finding)
    }
}
