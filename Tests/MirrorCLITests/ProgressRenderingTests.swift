import Testing

@testable import MirrorCLI
@testable import OperationTree

@Suite struct ProgressRenderingTests {
    private static let midway = ProgressState(
        rows: [
            .init(label: "artists", count: 2_104, total: 2_104, failed: 0),
            .init(label: "artworks", count: 1_240, total: 5_475, failed: 3),
            .init(label: "pictures", count: 320, total: nil, failed: 0),
        ], requests: 3_671, bytes: 14_234_000, rate: 1_800_000, elapsed: 72)

    @Test func theProgressBlockFits80Columns() {
        #expect(
            ProgressBlock(width: 80).lines(Self.midway) == [
                "artists   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  2,104 / 2,104 100 %",
                "artworks  ━━━━━━━━──────────────────────────────  1,240 / 5,475  22 %  3 failed",
                "pictures                                                    320",
                "14.2 MB, 1.8 MB/s, 3,671 requests, 1:12",
            ])
    }

    @Test func theProgressBlockFits120Columns() {
        #expect(
            ProgressBlock(width: 120).lines(Self.midway) == [
                "artists   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  2,104 / 2,104 100 %",
                "artworks  ━━━━━━━━━───────────────────────────────  1,240 / 5,475  22 %  3 failed",
                "pictures                                                      320",
                "14.2 MB, 1.8 MB/s, 3,671 requests, 1:12",
            ])
    }

    @Test func theProgressBlockStartsWithItsFooterOnly() {
        #expect(ProgressBlock(width: 80).lines(ProgressState()) == ["0 B, 0 B/s, 0 requests, 0:00"])
    }

    private static let late: ProgressState = {
        var state = midway
        state.rows[2].about = 4_781
        state.left = TimeLeft.Range(seconds: 41.7, low: 31, high: 58)
        state.underWay = "artwork water-lilies"
        return state
    }()

    @Test func theProgressBlockShowsTheRemainingTimeAt80And120Columns() {
        #expect(
            ProgressBlock(width: 80).lines(Self.late) == [
                "artists   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━      2,104 / 2,104 100 %",
                "artworks  ━━━━━━━───────────────────────────      1,240 / 5,475  22 %  3 failed",
                "pictures                                      320 / about 4,781",
                "14.2 MB, 1.8 MB/s, 3,671 requests, 1:12, about 40 s left (30 s to 1 min)",
                "fetching artwork water-lilies",
            ])
        #expect(
            ProgressBlock(width: 120).lines(Self.late).suffix(3) == [
                "pictures                                            320 / about 4,781",
                "14.2 MB, 1.8 MB/s, 3,671 requests, 1:12, about 40 s left (30 s to 1 min)",
                "fetching artwork water-lilies",
            ])
    }

    @Test func theProgressBlockHasNoRemainingTimeAtTheEnd() {
        let end = ProgressState(
            rows: [
                .init(label: "artworks", count: 5_475, total: 5_475, failed: 0),
                .init(label: "pictures", count: 4_902, total: 4_902, failed: 0),
            ], requests: 10_377, bytes: 1_234_000_000, rate: 12_000_000, elapsed: 3_720)
        let bar = String(repeating: "━", count: 40)
        for width in [80, 120] {
            #expect(
                ProgressBlock(width: width).lines(end) == [
                    "artworks  \(bar)  5,475 / 5,475 100 %", "pictures  \(bar)  4,902 / 4,902 100 %",
                    "1.2 GB, 12.0 MB/s, 10,377 requests, 1:02:00",
                ])
        }
    }

    @Test func theRangeOfTheRemainingTimeIsLeftOutIfItDoesNotFit() {
        var state = Self.late
        state.left = TimeLeft.Range(seconds: 5_100, low: 3_900, high: 6_300)
        #expect(
            ProgressBlock(width: 80).lines(state)[3]
                == "14.2 MB, 1.8 MB/s, 3,671 requests, 1:12, about 1 h 25 min left")
        #expect(ProgressBlock(width: 120).lines(state)[3].hasSuffix("left (1 h 5 min to 1 h 45 min)"))
    }

    @Test(arguments: [
        (0.2, 0.1, 0.4, "about 1 s left"), (7.4, 5.6, 9.2, "about 7 s left (6 s to 9 s)"),
        (57.6, 57.5, 60, "about 1 min left"), (89, 70, 130, "about 1 min 30 s left (1 min 10 s to 2 min)"),
    ])
    func theRemainingTimeIsRoundedToItsPrecision(seconds: Double, low: Double, high: Double, text: String) {
        #expect(Wording.left(TimeLeft.Range(seconds: seconds, low: low, high: high)) == text)
    }

    @Test(arguments: [20, 40, 60, 79, 80, 81, 120, 200])
    func noLineOfTheProgressBlockReachesTheLastColumn(width: Int) {
        for line in ProgressBlock(width: width).lines(Self.midway) { #expect(line.columns < width) }
    }

    @Test func coloursDoNotChangeTheTextOfTheProgressBlock() {
        let plain = ProgressBlock(width: 80).lines(Self.midway)
        let coloured = ProgressBlock(width: 80, hasColour: true).lines(Self.midway)
        #expect(coloured != plain)
        #expect(coloured.map { $0.replacing(#/\u{1B}\[[0-9]+m/#, with: "") } == plain)
    }

    @Test func theProgressFitsInOneLineForLogs() {
        #expect(
            ProgressLine.text(Self.midway)
                == "1:12  artists 2,104 of 2,104, artworks 1,240 of 5,475 (3 failed), pictures 320; 14.2 MB, 1.8 MB/s, 3,671 requests"
        )
        #expect(
            ProgressLine.text(Self.late)
                == "1:12  artists 2,104 of 2,104, artworks 1,240 of 5,475 (3 failed), pictures 320 of about 4,781; 14.2 MB, 1.8 MB/s, 3,671 requests, about 40 s left (30 s to 1 min)"
        )
    }

    @Test func theProgressTreeShowsCountsForItsNodes() {
        var artwork = NodeCounts()
        (artwork.items, artwork.done, artwork.running, artwork.failed, artwork.lists) = (500, 480, 16, 1, 1)
        let lines = ProgressTree(width: 80).lines(["artwork": artwork], footer: Self.midway)
        #expect(lines.first == "Sync                        ·")
        #expect(lines.contains("├─ artwork                  480 done, 16 running, 3 waiting, 1 failed"))
        #expect(lines.last == "14.2 MB, 1.8 MB/s, 3,671 requests, 1:12")
    }

    @Test(arguments: [
        (ProgressMode.auto, true, false, ProgressMode.Style.block), (.auto, false, false, .lines),
        (.tree, true, false, .tree), (.tree, false, false, .lines), (.plain, true, false, .lines),
        (.none, true, false, .none), (.auto, true, true, .none),
    ])
    func theProgressIsDrawnInPlaceOnlyOnATerminal(
        mode: ProgressMode, isTerminal: Bool, isQuiet: Bool, style: ProgressMode.Style
    ) {
        #expect(mode.style(isTerminal: isTerminal, isQuiet: isQuiet) == style)
    }
}
