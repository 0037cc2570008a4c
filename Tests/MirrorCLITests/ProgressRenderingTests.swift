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

    @Test func blockMidwayAt80Columns() {
        #expect(
            ProgressBlock(width: 80).lines(Self.midway) == [
                "artists   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  2,104 / 2,104 100 %",
                "artworks  ━━━━━━━━──────────────────────────────  1,240 / 5,475  22 %  3 failed",
                "pictures                                                    320",
                "14.2 MB, 1.8 MB/s, 3,671 requests, 1:12",
            ])
    }

    @Test func blockMidwayAt120Columns() {
        #expect(
            ProgressBlock(width: 120).lines(Self.midway) == [
                "artists   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  2,104 / 2,104 100 %",
                "artworks  ━━━━━━━━━───────────────────────────────  1,240 / 5,475  22 %  3 failed",
                "pictures                                                      320",
                "14.2 MB, 1.8 MB/s, 3,671 requests, 1:12",
            ])
    }

    @Test func blockAtTheBeginningHasOnlyItsFooter() {
        #expect(ProgressBlock(width: 80).lines(ProgressState()) == ["0 B, 0 B/s, 0 requests, 0:00"])
    }

    @Test(arguments: [20, 40, 60, 79, 80, 81, 120, 200])
    func noLineTouchesTheLastColumn(width: Int) {
        for line in ProgressBlock(width: width).lines(Self.midway) { #expect(line.columns < width) }
    }

    @Test func coloursChangeNothingButTheBar() {
        let plain = ProgressBlock(width: 80).lines(Self.midway)
        let coloured = ProgressBlock(width: 80, hasColour: true).lines(Self.midway)
        #expect(coloured != plain)
        #expect(coloured.map { $0.replacing(#/\u{1B}\[[0-9]+m/#, with: "") } == plain)
    }

    @Test func oneLineForLogs() {
        #expect(
            ProgressLine.text(Self.midway)
                == "1:12  artists 2,104 of 2,104, artworks 1,240 of 5,475 (3 failed), pictures 320; 14.2 MB, 1.8 MB/s, 3,671 requests"
        )
    }

    @Test func treeHasCountsBesideItsNodes() {
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
    func nothingIsDrawnInPlaceWithoutATerminal(
        mode: ProgressMode, isTerminal: Bool, isQuiet: Bool, style: ProgressMode.Style
    ) {
        #expect(mode.style(isTerminal: isTerminal, isQuiet: isQuiet) == style)
    }
}
