import Catalogue
import Foundation
import MirrorStore

/// What is measured of mirrors: the same families whether a watch offers them or `mirror status` prints them, since all of
/// it is kept in the mirrors' databases.
struct MirrorMetrics {
    let mirrors: [MirrorStatus]
    let now: Date
}

extension MirrorMetrics {
    /// Of what is stored at this moment.
    ///
    /// - Parameter names: those of which nothing is stored yet are left out.
    /// - Throws: ``StoreError`` if a mirror can't be read.
    init(home: MirrorHome, names: [String], now: Date) throws {
        let folders = try names.map(home.mirror).filter(\.exists)
        self.init(mirrors: try folders.map { try MirrorStatus($0) }, now: now)
    }

    private typealias Sample = OpenMetricsText.Sample

    /// As OpenMetrics text.
    var text: String { lines.map { "\($0)\n" }.joined() }

    var lines: [String] {
        var text = OpenMetricsText()
        // Each sample is labelled with its mirror's name.
        func add(
            _ name: String, _ help: String, _ kind: OpenMetricsText.Kind = .gauge, unit: String? = nil,
            samples: (MirrorStatus) -> [Sample]
        ) {
            let all = mirrors.flatMap { mirror in
                samples(mirror).map { ([("partner", mirror.name)] + $0.labels, $0.value) }
            }
            text.add(name, kind, unit: unit, help: help, all)
        }
        func add(
            _ name: String, _ help: String, _ kind: OpenMetricsText.Kind = .gauge, unit: String? = nil,
            number: (MirrorStatus) -> Int?
        ) {
            add(name, help, kind, unit: unit, samples: { number($0).map { [([], Double($0))] } ?? [] })
        }
        func labelled(_ label: String, _ counts: KeyValuePairs<String, Int>) -> [Sample] {
            counts.map { ([(label, $0.key)], Double($0.value)) }
        }
        add(
            "mirror_age_seconds", "Since the mirror was last known to hold what the partner holds.",
            unit: "seconds", number: { $0.age(now) })
        add("mirror_objects", "Objects that are stored, by kind.") { mirror in
            Kinds.standard.all.compactMap { kind in
                mirror.counts[kind].map { ([("kind", kind.name)], Double($0)) }
            }
        }
        add("mirror_ghosts", "Objects that are referred to and not stored.", number: \.ghosts)
        add("mirror_files", "Files of pictures and documents.", number: \.files)
        add("mirror_file_bytes", "Bytes of these files.", unit: "bytes", number: { Int($0.bytes) })
        add(
            "mirror_unavailable_files",
            "Pictures, tiles and documents that are missing because the server doesn't have them."
        ) {
            labelled(
                "kind",
                [
                    "image": $0.unavailable.images, "tile": $0.unavailable.tiles,
                    "document": $0.unavailable.documents,
                ])
        }
        add("mirror_local_edits", "Albums with edits that were not pushed, or were refused.") {
            labelled("state", ["waiting": $0.pending.waiting, "refused": $0.pending.refused])
        }
        add("mirror_open_errors", "What went wrong in the last run.", number: { $0.lastRun?.errors ?? 0 })
        for (key, name, help) in Self.counters {
            add(
                "mirror_\(name)", help, .counter, unit: key == "bytes" ? key : nil,
                number: { $0.tally[key] ?? 0 })
        }
        add("mirror_loop_state", "How a loop that follows the partner stands.", .stateset) {
            $0.loops.flatMap { loop in
                LoopRecord.states.map { state in
                    ([("loop", loop.id), ("mirror_loop_state", state)], loop.state == state ? 1 : 0)
                }
            }
        }
        add("mirror_loop_failures", "Tries of a loop that failed in a row.") {
            $0.loops.map { ([("loop", $0.id)], Double($0.failures)) }
        }
        add("mirror_loop_success_timestamp_seconds", "When a loop last went well.", unit: "seconds") {
            $0.loops.compactMap { loop in
                // A clock that was ahead doesn't tell when that was.
                guard !MirrorStatus.isAhead(loop.lastAt, of: now), let last = MirrorStatus.date(loop.lastAt)
                else { return nil }
                return ([("loop", loop.id)], last.timeIntervalSince1970)
            }
        }
        return text.lines + ["# EOF"]
    }

    /// Keys of the tally, names of families, and what they count. Other families have the names "bytes" and "objects".
    private static let counters = [
        ("requests", "requests", "Requests that were sent."),
        ("not_modified", "not_modified", "Answers that said that nothing had changed."),
        ("failures", "failures", "What went wrong in syncs, and tries of loops that failed."),
        ("bytes", "received_bytes", "Bytes that were received."),
        ("pages", "pages", "Pages of events that were stored."),
        ("objects", "changed_objects", "Objects that were created, updated or deleted."),
    ]
}

/// Metrics as OpenMetrics 1.0 text, which Prometheus and its kin read.
///
/// Families come in the order in which they were added, each with all of its samples; `# EOF` has to end the text.
struct OpenMetricsText {
    enum Kind: String {
        case gauge
        /// Its samples' names end in `_total`.
        case counter
        /// One sample a state, 1 for the one that is.
        case stateset
    }

    private(set) var lines: [String] = []

    /// Adds a family, unless it has no samples.
    ///
    /// - Parameters:
    ///   - name: without `_total`; with the unit at its end where it has one.
    ///   - unit: as OpenMetrics names it: `seconds`, `bytes`.
    mutating func add(
        _ name: String, _ kind: Kind, unit: String? = nil, help: String, _ samples: [Sample]
    ) {
        guard !samples.isEmpty else { return }
        lines.append("# TYPE \(name) \(kind.rawValue)")
        if let unit { lines.append("# UNIT \(name) \(unit)") }
        lines.append("# HELP \(name) \(Self.escaped(help))")
        let suffix = kind == .counter ? "_total" : ""
        lines += samples.map { sample in
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            return "\(name)\(suffix){\(labels.joined(separator: ","))} \(Self.number(sample.value))"
        }
    }

    typealias Sample = (labels: [(name: String, value: String)], value: Double)

    /// Backslash, quote and line feed, as the format asks; control characters are replaced.
    private static func escaped(_ text: String) -> String {
        text.printable.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    /// Whole numbers without a fraction: counters stay exact.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }
}
