import Catalogue
import Foundation
import MirrorStore

/// What is measured of mirrors: the same families whether a watch offers them or `mirror status` prints them, since all of
/// it is kept in the mirrors' databases.
struct MirrorMetrics {
    let mirrors: [MirrorStatus]
    let now: Date

    init(mirrors: [MirrorStatus], now: Date) {
        self.mirrors = mirrors
        self.now = now
    }

    /// Of what is stored at this moment.
    ///
    /// - Parameter names: those of which nothing is stored yet are left out.
    /// - Throws: ``StoreError`` if a mirror can't be read.
    init(home: MirrorHome, names: [String], now: Date) throws {
        let folders = try names.map(home.mirror).filter(\.exists)
        self.init(mirrors: try folders.map { try MirrorStatus($0) }, now: now)
    }

    /// As OpenMetrics text.
    var text: String {
        var text = OpenMetricsText()
        addMirrors(to: &text)
        addCounts(to: &text)
        addLoops(to: &text)
        return text.whole
    }

    private typealias Sample = OpenMetricsText.Sample

    private func addMirrors(to text: inout OpenMetricsText) {
        text.add(
            "mirror_age_seconds", .gauge, unit: "seconds",
            help: "Since the mirror was last known to hold what the partner holds.",
            mirrors.compactMap { mirror in
                mirror.age(now).map { Sample([("partner", mirror.name)], Double($0)) }
            })
        text.add(
            "mirror_objects", .gauge, help: "Objects that are stored, by kind.",
            mirrors.flatMap { mirror in
                Kinds.standard.all.compactMap { kind in
                    mirror.counts[kind].map {
                        Sample([("partner", mirror.name), ("kind", kind.name)], Double($0))
                    }
                }
            })
        add("mirror_ghosts", "Objects that are referred to and not stored.", to: &text) { Double($0.ghosts) }
        add("mirror_files", "Files of pictures and documents.", to: &text) { Double($0.files) }
        add("mirror_file_bytes", "Bytes of these files.", unit: "bytes", to: &text) { Double($0.bytes) }
        text.add(
            "mirror_unavailable_files", .gauge,
            help: "Pictures and documents that are missing because the server doesn't have them.",
            mirrors.flatMap { mirror in
                [("image", mirror.unavailable.images), ("document", mirror.unavailable.documents)].map {
                    Sample([("partner", mirror.name), ("kind", $0.0)], Double($0.1))
                }
            })
        text.add(
            "mirror_local_edits", .gauge, help: "Albums with edits that were not pushed, or were refused.",
            mirrors.flatMap { mirror in
                [("waiting", mirror.pending.waiting), ("refused", mirror.pending.refused)].map {
                    Sample([("partner", mirror.name), ("state", $0.0)], Double($0.1))
                }
            })
        add("mirror_open_errors", "What went wrong in the last run.", to: &text) {
            Double($0.lastRun?.errors ?? 0)
        }
    }

    private func addCounts(to text: inout OpenMetricsText) {
        let counters = [
            ("requests", "Requests that were sent."),
            ("not_modified", "Answers that said that nothing had changed."),
            ("failures", "What went wrong in syncs, and tries of loops that failed."),
            ("bytes", "Bytes that were received."), ("pages", "Pages of events that were stored."),
            ("objects", "Objects that were created, updated or deleted."),
        ]
        for (name, help) in counters {
            text.add(
                Self.names[name] ?? "mirror_\(name)", .counter,
                unit: name == "bytes" ? "bytes" : nil, help: help,
                mirrors.map { Sample([("partner", $0.name)], Double($0.tally[name] ?? 0)) })
        }
    }

    /// Names that others have already.
    private static let names = ["bytes": "mirror_received_bytes", "objects": "mirror_changed_objects"]

    private func addLoops(to text: inout OpenMetricsText) {
        func samples(_ value: (LoopRecord) -> Double?) -> [Sample] {
            mirrors.flatMap { mirror in
                mirror.loops.compactMap { loop in
                    value(loop).map { Sample([("partner", mirror.name), ("loop", loop.id)], $0) }
                }
            }
        }
        text.add(
            "mirror_loop_state", .stateset, help: "How a loop that follows the partner stands.",
            mirrors.flatMap { mirror in
                mirror.loops.flatMap { loop in
                    LoopText.states.map { state in
                        Sample(
                            [("partner", mirror.name), ("loop", loop.id), ("mirror_loop_state", state)],
                            loop.state == state ? 1 : 0)
                    }
                }
            })
        text.add(
            "mirror_loop_failures", .gauge, help: "Tries of a loop that failed in a row.",
            samples { Double($0.failures) })
        text.add(
            "mirror_loop_success_timestamp_seconds", .gauge, unit: "seconds",
            help: "When a loop last went well.",
            samples { loop in
                // When that was, a clock that was ahead doesn't tell.
                MirrorStatus.isAhead(loop.lastAt, of: now)
                    ? nil : MirrorStatus.date(loop.lastAt)?.timeIntervalSince1970
            })
    }

    private func add(
        _ name: String, _ help: String, unit: String? = nil, to text: inout OpenMetricsText,
        _ value: (MirrorStatus) -> Double
    ) {
        text.add(
            name, .gauge, unit: unit, help: help,
            mirrors.map { Sample([("partner", $0.name)], value($0)) })
    }
}
