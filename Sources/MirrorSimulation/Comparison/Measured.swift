/// What one process took for one task.
package struct Measured: Codable, Sendable, Hashable {
    package enum Phase: String, Codable, Sendable {
        /// From nothing.
        case cold
        /// With what an earlier run left.
        case warm
    }

    package enum Server: String, Codable, Sendable {
        case mirror = "mirror serve"
        case nginx
    }

    package var what: String
    package var tool: String
    package var phase: Phase
    package var server: Server
    package var artworks: Int
    /// Wall time.
    package var seconds: Double
    /// User and system time of the process and of those that it started and waited for.
    package var cpu: Double
    /// The most memory that it held, in MiB.
    package var peak: Double
    package var requests: Int?
    /// Received.
    package var bytes: Int?
    /// Whether it fetched files besides, so that it can't be held against what didn't.
    package var hasPictures = false
    /// How often it was measured; the run with the median of the times is told.
    package var runs = 1

    package init(
        what: String, tool: String, phase: Phase, server: Server = .mirror, artworks: Int, seconds: Double,
        cpu: Double, peak: Double, requests: Int? = nil, bytes: Int? = nil
    ) {
        self.what = what
        self.tool = tool
        self.phase = phase
        self.server = server
        self.artworks = artworks
        self.seconds = seconds
        self.cpu = cpu
        self.peak = peak
        self.requests = requests
        self.bytes = bytes
    }

    /// The run with the median of the times, of an even number the faster of the two in the middle; `nil` of none.
    package static func median(of all: [Measured]) -> Measured? {
        guard !all.isEmpty else { return nil }
        var middle = all.sorted { $0.seconds < $1.seconds }[(all.count - 1) / 2]
        middle.runs = all.count
        return middle
    }
}

/// All that was measured in one call.
package struct Comparison: Codable, Sendable {
    package static let mirror = "mirror", curl = "curl"

    package var machine: String
    package var measurements: [Measured] = []
    /// What could not be measured, in sentences.
    package var notes: [String] = []

    package init(machine: String) { self.machine = machine }

    /// Time against that of `curl` for the same URLs on the same server; `nil` for what is no first run.
    package func ratioToCurl(_ one: Measured) -> Double? {
        guard one.phase == .cold, one.tool != Self.curl, !one.hasPictures else { return nil }
        return ratio(one) { $0.tool == Self.curl }
    }

    /// Time against the tool's own first run from the same server; `nil` for a first run.
    package func ratioToCold(_ one: Measured) -> Double? {
        guard one.phase == .warm else { return nil }
        return ratio(one) { $0.tool == one.tool && $0.phase == .cold }
    }

    /// Against the first of its size and server that fits.
    private func ratio(_ one: Measured, to fits: (Measured) -> Bool) -> Double? {
        let other = measurements.first {
            $0.artworks == one.artworks && $0.server == one.server && !$0.hasPictures && fits($0)
        }
        guard let other, other.seconds > 0 else { return nil }
        return one.seconds / other.seconds
    }
}
