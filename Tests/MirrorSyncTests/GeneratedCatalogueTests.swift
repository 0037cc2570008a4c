import Foundation
import MirrorTesting
import Testing

@testable import MirrorSimulation

@Suite("Generated catalogues") struct GeneratedCatalogueTests {
    @Test func aGeneratedCatalogueDependsOnlyOnItsSize() throws {
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

    @Test func aWrittenGeneratedCatalogueHasEveryLine() throws {
        let folder = try TemporaryFolder(), catalogue = GeneratedCatalogue(artworks: 1_000)
        try catalogue.write(to: folder.path)
        for file in catalogue.files {
            let text = try String(contentsOfFile: "\(folder.path)/\(file.name)", encoding: .utf8)
            #expect(text == (0..<file.count).map { file.line($0) + "\n" }.joined())
        }
        let partner = try String(contentsOfFile: "\(folder.path)/partner.json", encoding: .utf8)
        #expect(partner == catalogue.partnerFile)
    }
}
