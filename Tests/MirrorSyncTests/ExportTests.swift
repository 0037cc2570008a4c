import Foundation
import MirrorDemo
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Exports", .fewAtATime) struct ExportTests {
    private func export(
        _ mirror: TestMirror, _ format: CatalogueExport.Format, to target: String, bom: Bool = false
    ) throws -> CatalogueExport.Written {
        try mirror.read {
            try CatalogueExport($0, folder: mirror.mirror, byteOrderMark: bom).write(format, to: target)
        }
    }

    @Test func anExportRemovesFilesOfAnEarlierExportAndKeepsOthers() async throws {
        let home = try LiveMirror(), target = home.folder.file("catalogue")
        try await home.importing(.embedded(DemoCatalogue.files), as: "demo")
        let demo = try home.mirror("demo").store()
        _ = try CatalogueExport(demo, folder: home.mirror("demo")).write(.jsonl, to: target)
        try demo.close()
        let documents = "\(target)/documents.jsonl"
        #expect(FileManager.default.fileExists(atPath: documents))
        try "left by a killed export".write(toFile: documents + ".part", atomically: false, encoding: .utf8)
        try "mine".write(toFile: "\(target)/readme.txt", atomically: false, encoding: .utf8)
        let plain = try TestMirror(FakePartner { $0.artwork("a") })
        try await plain.sync()
        _ = try export(plain, .jsonl, to: target)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: target).sorted() == [
                "albums.jsonl", "artists.jsonl", "artworks.jsonl", "locations.jsonl", "partner.json",
                "readme.txt",
                "shows.jsonl",
            ])
    }

    @Test(arguments: CatalogueExport.Format.allCases)
    func anExportReportsWhetherTheMirrorIsIncomplete(format: CatalogueExport.Format) async throws {
        let partner = FakePartner { state in
            state.artwork("a")
            state.artwork("b")
            state.overrides["/artwork/b"] = .text("{}", status: 500)
        }
        let mirror = try TestMirror(partner)
        let target = mirror.folder.file("export")
        #expect(try await mirror.sync().outcome == .partial)
        #expect(try export(mirror, format, to: target).isIncomplete, "an artwork is missing")
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try !export(mirror, format, to: target).isIncomplete)
        partner.change { $0.overrides["/partner/p/all"] = .text("{}", status: 403) }
        #expect(try await mirror.sync().outcome == .failed)
        #expect(try !export(mirror, format, to: target).isIncomplete, "a failed run removed nothing")
    }

    @Test func anExportDuringAFirstSyncIsIncomplete() async throws {
        let mirror = try TestMirror(FakePartner { $0.artwork("a") })
        try await mirror.sync()
        try mirror.tamper("UPDATE sync_log SET outcome = NULL, ended_at = NULL")
        #expect(try export(mirror, .jsonl, to: mirror.folder.file("export")).isIncomplete)
    }

    @Test func csvFilesBeginWithAByteOrderMarkOnlyIfRequested() async throws {
        let mirror = try TestMirror(FakePartner { $0.artwork("a") })
        try await mirror.sync()
        let mark = Data([0xEF, 0xBB, 0xBF])
        for wanted in [true, false] {
            let target = mirror.folder.file("tables-\(wanted)")
            _ = try export(mirror, .csv, to: target, bom: wanted)
            for table in CatalogueTable.all(.standard) {
                let data = try Data(contentsOf: URL(filePath: "\(target)/\(table.name).csv"))
                #expect(data.starts(with: mark) == wanted, "\(table.name)")
            }
        }
    }

    @Test(arguments: [
        (CatalogueExport.Format.jsonl, "documents.jsonl"), (.jsonl, "artworks.jsonl"), (.csv, "show.csv"),
    ])
    func anExportRefusesAFolderInAFilesPlaceBeforeReplacingFiles(format: CatalogueExport.Format, name: String)
        async throws
    {
        let mirror = try TestMirror(FakePartner { $0.artwork("a") })
        try await mirror.sync()
        let target = mirror.folder.file("export")
        try FileManager.default.createDirectory(
            atPath: "\(target)/\(name)", withIntermediateDirectories: true)
        let error = #expect(throws: StoreError.self) { try export(mirror, format, to: target) }
        #expect(error?.message.contains("\(name), because a folder has this name") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target) == [name])
    }
}
