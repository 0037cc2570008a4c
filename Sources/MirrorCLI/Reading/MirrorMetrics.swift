import Catalogue
import Foundation
import MirrorStore

/// The metrics of mirrors, read from their databases: the same for `mirror watch --metrics-port` and `mirror status`.
struct MirrorMetrics {
    let mirrors: [MirrorStatus]
    let now: Date
}

extension MirrorMetrics {
    /// Reads the current metrics.
    ///
    /// - Parameter names: the mirrors. One that doesn't exist yet is left out.
    /// - Throws: ``StoreError`` if a mirror can't be read.
    init(home: MirrorHome, names: [String], now: Date) throws {
        let folders = try names.map(home.mirror).filter(\.exists)
        self.init(mirrors: try folders.map { try MirrorStatus($0) }, now: now)
    }

    private typealias Sample = OpenMetricsText.Sample

    /// The metrics as OpenMetrics text.
    var text: String { lines.map { "\($0)\n" }.joined() }

    var lines: [String] {
        var text = OpenMetricsText()
        // Each sample has a label with its mirror's name.
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
            "mirror_age_seconds", "Time since the mirror was last known to equal the partner's catalogue.",
            unit: "seconds", number: { $0.age(now) })
        add("mirror_objects", "Stored objects by kind.") { mirror in
            Kinds.standard.all.compactMap { kind in
                mirror.counts[kind].map { ([("kind", kind.name)], Double($0)) }
            }
        }
        add("mirror_ghosts", "Objects that are referred to but not stored.", number: \.ghosts)
        add("mirror_files", "Stored files of pictures and documents.", number: \.files)
        add("mirror_file_bytes", "Size of the stored files.", unit: "bytes", number: { Int($0.bytes) })
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
        add("mirror_local_edits", "Albums with local edits that are not pushed yet or were refused.") {
            labelled("state", ["waiting": $0.pending.waiting, "refused": $0.pending.refused])
        }
        add(
            "mirror_paused", "Whether mirror watch is paused for the mirror: 1 if it is, else 0.",
            number: { $0.pausedAt == nil ? 0 : 1 })
        add("mirror_open_errors", "Problems of the last run.", number: { $0.lastRun?.errors ?? 0 })
        for (key, name, help) in Self.counters {
            add(
                "mirror_\(name)", help, .counter, unit: key == "bytes" ? key : nil,
                number: { $0.tally[key] ?? 0 })
        }
        add("mirror_loop_state", "State of a loop that follows the partner.", .stateset) {
            $0.loops.flatMap { loop in
                LoopRecord.states.map { state in
                    ([("loop", loop.id), ("mirror_loop_state", state)], loop.state == state ? 1 : 0)
                }
            }
        }
        add("mirror_loop_failures", "Consecutive failures of a loop.") {
            $0.loops.map { ([("loop", $0.id)], Double($0.failures)) }
        }
        add("mirror_loop_success_timestamp_seconds", "Time of a loop's last success.", unit: "seconds") {
            $0.loops.compactMap { loop in
                // A time in the future was stored by a wrong clock, so the true time is unknown.
                guard !MirrorAge.isAhead(loop.lastAt, of: now), let last = MirrorAge.date(loop.lastAt)
                else { return nil }
                return ([("loop", loop.id)], last.timeIntervalSince1970)
            }
        }
        return text.lines + ["# EOF"]
    }

    /// Keys of the tally, the names of their metric families, and help texts. Some names differ from the key, because other
    /// families already use "bytes" and "objects".
    private static let counters = [
        ("requests", "requests", "Requests that were sent."),
        ("not_modified", "not_modified", "Answers with status 304 (not modified)."),
        ("failures", "failures", "Problems in syncs and failures of loops."),
        ("bytes", "received_bytes", "Bytes that were received."),
        ("pages", "pages", "Pages of events that were stored."),
        ("objects", "changed_objects", "Objects that were created, updated or deleted."),
    ]
}

/// Builds OpenMetrics 1.0 text, which Prometheus reads.
///
/// Families are in the order in which they were added, each with all of its samples. The caller appends `# EOF`.
struct OpenMetricsText {
    enum Kind: String {
        case gauge
        /// The names of its samples end in `_total`.
        case counter
        /// One sample per state: 1 for the current state, 0 for the others.
        case stateset
    }

    private(set) var lines: [String] = []

    /// Adds a metric family. A family without samples is left out.
    ///
    /// - Parameters:
    ///   - name: the name without `_total`; it ends with the unit, if there is one.
    ///   - unit: the unit's OpenMetrics name: `seconds`, `bytes`.
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

    /// Escapes backslashes and quotes, as the format requires. Line feeds and control characters are replaced.
    private static func escaped(_ text: String) -> String {
        text.printable.escaping("\\", as: "\\\\").escaping("\"", as: "\\\"")
    }

    /// Integers are written without a fraction, so that counters stay exact.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }
}
