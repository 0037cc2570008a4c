/// Counts of what happened in a history.
package struct HistoryCounts: Sendable, Hashable, Codable {
    package var syncs = 0
    /// The number of pages of events, or of rounds without one.
    package var rounds = 0
    package var edits = 0
    package var faults = 0
    package var crashes = 0
    /// The number of runs with a hazard, by the hazard's name and its effect.
    package var hazards: [String: Int] = [:]

    mutating func add(_ other: HistoryCounts) {
        syncs += other.syncs
        rounds += other.rounds
        edits += other.edits
        faults += other.faults
        crashes += other.crashes
        hazards.merge(other.hazards, uniquingKeysWith: +)
    }
}
