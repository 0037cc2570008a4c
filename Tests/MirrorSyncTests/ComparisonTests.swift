import Foundation
import MirrorTesting
import Testing

@testable import MirrorSimulation

/// What `mirror-bench compare` works out of its measurements, and the catalogues that it makes.
@Suite("Comparison") struct ComparisonTests {
    private func measured(
        _ what: String, tool: String = "mirror", _ phase: Measured.Phase = .cold,
        _ server: Measured.Server = .mirror, artworks: Int = 1_000, in seconds: Double
    ) -> Measured {
        Measured(
            what: what, tool: tool, phase: phase, server: server, artworks: artworks, seconds: seconds,
            cpu: 0.5, peak: 20.4, requests: 1_234, bytes: 1_500_000)
    }

    @Test func theMedianIsARunThatHappened() {
        let runs = [3, 1, 2, 9].map { measured("a", in: $0) }
        #expect(Measured.median(of: runs)?.seconds == 2)
        #expect(Measured.median(of: runs)?.runs == 4)
        #expect(Measured.median(of: Array(runs.prefix(3)))?.seconds == 2)
        #expect(Measured.median(of: []) == nil)
    }

    @Test func ratiosAreToWhatIsAlike() {
        var all = Comparison(machine: "")
        let tree = measured("tree", in: 3), curl = measured("curl", tool: "curl", in: 2)
        let snapshot = measured("snapshot", in: 0.5), warm = measured("warm", .warm, in: 0.03)
        let fromFiles = measured("tree", .cold, .nginx, in: 1)
        let other = measured("warm", tool: "wget2", .warm, in: 1)
        let larger = measured("tree", artworks: 10_000, in: 30)
        var pictures = measured("pictures", in: 9)
        pictures.hasPictures = true
        all.measurements = [pictures, tree, curl, snapshot, warm, fromFiles, other, larger]
        #expect(all.ratioToCurl(tree) == 1.5)
        #expect(all.ratioToCurl(snapshot) == 0.25)
        #expect(all.ratioToCold(warm) == 0.01)
        for one in [pictures, curl, warm, fromFiles, other, larger] { #expect(all.ratioToCurl(one) == nil) }
        for one in [tree, curl, other] { #expect(all.ratioToCold(one) == nil) }
    }

    @Test func theTableIsPaddedMarkdown() {
        var all = Comparison(machine: "")
        all.measurements = [
            measured("curl", tool: "curl", in: 2), measured("tree", in: 3),
            measured("same again", .warm, in: 0.062),
        ]
        #expect(
            ComparisonTable(all).lines == [
                "| artworks | what       |    time |    CPU |   peak | requests | received | to curl | to cold |",
                "|---------:|------------|--------:|-------:|-------:|---------:|---------:|--------:|--------:|",
                "|    1,000 | curl       |  2.00 s | 0.50 s | 20 MiB |    1,234 |   1.5 MB |         |         |",
                "|    1,000 | tree       |  3.00 s | 0.50 s | 20 MiB |    1,234 |   1.5 MB |  1.50 × |         |",
                "|    1,000 | same again | 0.062 s | 0.50 s | 20 MiB |    1,234 |   1.5 MB |         | 0.021 × |",
            ])
    }

    @Test(arguments: [(999, "999 B"), (1_000, "1.0 kB"), (123_456, "123 kB"), (2_500_000_000, "2.5 GB")])
    func bytesAreShort(_ bytes: Int, _ text: String) { #expect(ComparisonTable.bytes(bytes) == text) }

    @Test func thePlotsAxesAreWholePowersOfTen() {
        let axis = LogAxis([0.03, 4.2], from: 100, to: 400)
        #expect(axis.ticks.count == 4)
        #expect(abs(axis.place(0.01) - 100) < 0.001)
        #expect(abs(axis.place(1) - 300) < 0.001)
        #expect(LogAxis([], from: 0, to: 1).ticks == [1, 10])
        #expect(LogAxis([1_000], from: 0, to: 1).ticks == [1_000, 10_000])
    }

    @Test func thePlotHasALineAndANameForEach() {
        var all = Comparison(machine: "")
        all.measurements = [
            measured("a < b", in: 1), measured("a < b", artworks: 10_000, in: 9),
            measured("a < b", .cold, .nginx, in: 2),
        ]
        let svg = ComparisonPlot(all).svg
        #expect(svg.matches(of: #/<circle/#).count == 3)
        #expect(svg.contains(">a &lt; b<") && svg.contains(">a &lt; b, from nginx<"))
        #expect(!svg.contains("nan") && svg.contains("prefers-color-scheme:dark"))
    }

    @Test func aCatalogueFollowsFromItsSize() throws {
        let catalogue = GeneratedCatalogue(artworks: 120)
        var ids: Set<String> = [], size = 0
        for file in catalogue.files {
            for number in 0..<file.count {
                let line = file.line(number)
                #expect(line == file.line(number) && !line.contains("\n"))
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                ids.insert(try #require(object?["id"] as? String))
                if file.name == "artworks.jsonl" { size += line.utf8.count }
            }
        }
        #expect(ids.count == catalogue.files.map(\.count).reduce(0, +))
        #expect((1_500...2_500).contains(size / 120))
        #expect(catalogue.files.first?.count == 30)
    }

    @Test func anEditedCatalogueDiffersInTheTitlesOfEveryHundredth() throws {
        let folder = try TemporaryFolder()
        let first = "\(folder.path)/first", second = "\(folder.path)/second"
        try CatalogueFiles.write(GeneratedCatalogue(artworks: 250), to: first)
        #expect(try CatalogueFiles.edit(first, to: second, every: 100) == 2)
        #expect(try CatalogueFiles.count(second) == 250)
        var before: [String] = [], after: [String] = []
        try LineFile.read("\(first)/artworks.jsonl") { before.append($0) }
        try LineFile.read("\(second)/artworks.jsonl") { after.append($0) }
        #expect(before.indices.filter { before[$0] != after[$0] } == [99, 199])
        #expect(after[99].contains(" (revised)\""))
        for name in ["partner.json", "artists.jsonl", "albums.jsonl", "shows.jsonl", "locations.jsonl"] {
            #expect(
                FileManager.default.contentsEqual(
                    atPath: "\(first)/\(name)", andPath: "\(second)/\(name)"))
        }
    }
}
