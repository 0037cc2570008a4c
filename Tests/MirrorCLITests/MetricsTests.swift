import Catalogue
import Foundation
import MirrorStore
import Testing

@testable import MirrorCLI

@Suite struct MetricsTests {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)  // 2026-11-18T11:06:40Z

    private func mirror(_ name: String) -> MirrorStatus {
        var mirror = MirrorStatus(name: name, place: "/data")
        mirror.counts = [.artwork: 7, .show: 2]
        mirror.lastGood = "2026-11-18T10:06:40.000Z"
        mirror.tally = ["requests": 12, "bytes": 34_567]
        (mirror.files, mirror.bytes, mirror.ghosts, mirror.pending) = (3, 999, 1, (waiting: 2, refused: 0))
        return mirror
    }

    @Test func everyMetricFamilyAppearsOnceWithAllItsSamples() {
        let text = MirrorMetrics(mirrors: [mirror("a"), mirror("b")], now: Self.now).text
        let lines = text.split(separator: "\n").map(String.init)
        let types = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        #expect(Set(types).count == types.count)
        #expect(lines.last == "# EOF" && text.hasSuffix("\n"))
        #expect(lines.contains(#"mirror_objects{partner="b",kind="artwork"} 7"#))
        #expect(lines.contains(#"mirror_age_seconds{partner="a"} 3600"#))
        #expect(lines.contains(#"mirror_requests_total{partner="a"} 12"#))
        #expect(lines.contains(#"mirror_received_bytes_total{partner="a"} 34567"#))
        #expect(lines.contains(#"mirror_failures_total{partner="a"} 0"#))
        // Samples follow the header of their family: each name begins with the name of the last TYPE line.
        var family = ""
        for line in lines where line != "# EOF" {
            if line.hasPrefix("# TYPE ") { family = String(line.split(separator: " ")[2]) }
            #expect(line.contains(family) && !family.isEmpty)
        }
    }

    @Test func aTimeFromAClockThatWasAheadIsNotUsedForAMirrorsAge() {
        var mirror = mirror("a")
        mirror.loops = [LoopRecord(id: "partner", kind: .core, lastAt: "2027-11-18T11:06:30.000Z")]
        #expect(mirror.age(Self.now) == 3_600, "the last time from a correct clock is used")
        mirror.lastGood = "2027-11-18T11:00:00.000Z"
        #expect(mirror.age(Self.now) == nil, "when that was, nobody knows")
        #expect(
            mirror.lines(now: Self.now).contains { $0.contains("in the future by this computer's clock") })
        let lines = MirrorMetrics(mirrors: [mirror], now: Self.now).text.split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("mirror_age_seconds{") })
        #expect(!lines.contains { $0.hasPrefix("mirror_loop_success_timestamp_seconds{") })
    }

    @Test func theMetricsOfALoopHaveOneActiveState() {
        var mirror = mirror("a")
        mirror.loops = [
            LoopRecord(id: "partner", kind: .core, lastAt: "2026-11-18T11:06:30.000Z"),
            LoopRecord(id: "show:x\"y\n", kind: .show, state: "quarantined", failures: 9),
        ]
        let lines = MirrorMetrics(mirrors: [mirror], now: Self.now).text.split(separator: "\n").map(
            String.init)
        let states = lines.filter { $0.hasPrefix("mirror_loop_state{") }
        #expect(states.count == 2 * LoopRecord.states.count)
        #expect(
            states.filter { $0.hasSuffix(" 1") } == [
                #"mirror_loop_state{partner="a",loop="partner",mirror_loop_state="enabled"} 1"#,
                #"mirror_loop_state{partner="a",loop="show:x\"y ",mirror_loop_state="quarantined"} 1"#,
            ])
        #expect(lines.contains(#"mirror_loop_failures{partner="a",loop="show:x\"y "} 9"#))
        // The age of a mirror that follows a feed is the time since the last request of the feed.
        #expect(lines.contains(#"mirror_age_seconds{partner="a"} 10"#))
    }

    @Test func aFailingLoopDoesNotChangeTheAgeOfTheMirror() {
        var mirror = mirror("a")
        mirror.loops = [
            LoopRecord(id: "partner", kind: .core, failures: 1, lastAt: "2026-11-18T11:06:30.000Z")
        ]
        #expect(mirror.age(Self.now) == 3_600)
    }

    @Test func unavailableFilesAreInTheStatusAndTheMetrics() {
        var mirror = mirror("a")
        mirror.unavailable = UnavailableFiles(images: 30, tiles: 28, documents: 2)
        let text = MirrorMetrics(mirrors: [mirror], now: Self.now).text
        #expect(text.contains(#"mirror_unavailable_files{partner="a",kind="image"} 30"#))
        #expect(text.contains(#"mirror_unavailable_files{partner="a",kind="document"} 2"#))
        #expect(text.contains(#"mirror_unavailable_files{partner="a",kind="tile"} 28"#))
        #expect(
            mirror.lines(now: Self.now).contains(
                "  unavailable 30 pictures, 28 tiles and 2 documents (not on the server)"))
        #expect(
            mirror.json(now: Self.now)["unavailable"]?.canonicalText
                == #"{"document":2,"image":30,"tile":28}"#)
    }

    @Test func theMetricOfAPauseIsOneForAPausedMirror() {
        var paused = mirror("a")
        paused.pausedAt = "2026-11-18T11:00:00.000Z"
        let text = MirrorMetrics(mirrors: [paused, mirror("b")], now: Self.now).text
        #expect(text.contains("# TYPE mirror_paused gauge\n"))
        #expect(text.contains("mirror_paused{partner=\"a\"} 1\nmirror_paused{partner=\"b\"} 0\n"))
    }

    @Test func theMetricsWithoutMirrorsAreOnlyTheEndMark() {
        #expect(MirrorMetrics(mirrors: [], now: Self.now).text == "# EOF\n")
    }

    @Test func everyStateOfALoopHasAReadableName() {
        #expect(LoopRecord.states.count == 6)
        #expect(
            LoopRecord.states.dropFirst().allSatisfy {
                LoopRecord(id: "x", kind: .core, state: $0).word != $0 || $0 == LoopRecord.over
            })
    }
}
