import Foundation
import MirrorDemo
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Cancelled imports and exports")
struct CancelledCatalogueTests {
    /// Runs `body` in a cancelled task.
    private func cancelled<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await body()
        }.value
    }

    @Test func aCancelledImportDeletesNothingAndTheNextImportContinues() async throws {
        let home = try LiveMirror()
        try await home.importing(.embedded(DemoCatalogue.files), as: "demo")
        let before = try home.export("demo")
        var files = DemoCatalogue.files
        files["artworks.jsonl"] = ""
        let smaller = CatalogueFiles.embedded(files)
        let summary = try await cancelled {
            try await CatalogueImport(smaller, into: home.mirror("demo"), maxDelete: .total(1_000)).run()
        }
        #expect(summary.outcome == .cancelled && !summary.hasChanges)
        #expect(try home.export("demo") == before)
        let store = try home.mirror("demo").store()
        defer { try? store.close() }
        #expect(try store.runs(limit: 1).first?.outcome == "cancelled")
        let next = try await CatalogueImport(
            smaller, into: home.mirror("demo"), maxDelete: .total(1_000)
        ).run()
        #expect(next.outcome == .complete && next.objects["artwork"]?.deleted == 41)
    }

    @Test(arguments: CatalogueExport.Format.allCases)
    func aCancelledExportLeavesNoPartialFile(format: CatalogueExport.Format) async throws {
        let home = try LiveMirror()
        try await home.importing(.embedded(DemoCatalogue.files), as: "demo")
        let store = try home.mirror("demo").store()
        defer { try? store.close() }
        let target = home.folder.file("export")
        await #expect(throws: CancellationError.self) {
            try await cancelled {
                try CatalogueExport(store, folder: home.mirror("demo")).write(format, to: target)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: target) == [])
    }
}
