/// The features that are not ready: off by default, switched on one by one by name.
///
/// One that is ready is on for everybody and leaves the table; its name stays among the retired, so that a script
/// that still names it goes on.
struct FeatureTable: Sendable {
    struct Feature: Sendable, Hashable {
        let name: String
        /// What it does, in a sentence.
        let sentence: String
    }

    struct Retired: Sendable, Hashable {
        let name: String
        /// Why nobody needs to name it any more.
        let reason: String
    }

    /// The features of this version.
    static let current = FeatureTable(live: [], retired: [])

    let live: [Feature]
    let retired: [Retired]

    /// What is switched on, and what there is to say of it.
    struct Choice: Sendable, Equatable {
        var enabled: Set<String> = []
        var notices: [String] = []
    }

    /// - Parameters:
    ///   - names: those of `--enable`.
    ///   - environment: its `MIRROR_ENABLE` has more of them, separated by commas.
    /// - Throws: ``UnknownFeature`` for a name that no version has.
    func choice(_ names: [String], environment: [String: String]) throws -> Choice {
        let more = (environment["MIRROR_ENABLE"] ?? "").split(separator: ",").map { String($0) }
        var choice = Choice()
        for name in (names + more).map({ $0.trimmingSpaces }) where !name.isEmpty {
            if live.contains(where: { $0.name == name }) {
                choice.enabled.insert(name)
            } else if let retired = retired.first(where: { $0.name == name }) {
                let notice = "\(name) is no longer needed: \(retired.reason)"
                if !choice.notices.contains(notice) { choice.notices.append(notice) }
            } else {
                throw UnknownFeature(name: name, known: live.map(\.name))
            }
        }
        return choice
    }
}

struct UnknownFeature: Error, Equatable, CustomStringConvertible {
    let name: String
    let known: [String]

    var description: String {
        let there =
            known.isEmpty
            ? "No feature is off by default in this version." : "There are: \(known.joined(separator: ", "))."
        return "There is no feature called \(name.printable). \(there)"
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
