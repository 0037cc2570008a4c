import Catalogue
import ChildProcesses
import Foundation
import Testing

/// Real catalogues: one in the tests' folder, and others beside the package, which are optional.
private enum CatalogueArchives {
    private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let fixture = tests.appending(path: "Catalogues/cmoa-small")
    static let folder = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/catalogues")

    static var arePresent: Bool { FileManager.default.fileExists(atPath: folder.path) }
}

@Suite struct CatalogueFilesTests {
    @Test func everyLineOfTheTestCatalogueIsMappedToTheAPIAndBackUnchanged() throws {
        try check(CatalogueArchives.fixture)
    }

    @Test(
        .enabled(if: CatalogueArchives.arePresent, "there are no catalogues beside the package"),
        arguments: ["moma-small", "nga-small", "tate-small", "walters-small"])
    func everyLineOfRealCataloguesIsMappedToTheAPIAndBackUnchanged(name: String) throws {
        let archive = CatalogueArchives.folder.appending(path: "\(name).tar.xz")
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "partner-api-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tar = try ChildProcess("tar", ["-xJf", archive.path, "-C", folder.path])
        try #require(tar.wait().status == 0)
        try check(folder)
    }

    private func check(_ catalogue: URL) throws {
        var lines = 0
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: catalogue, includingPropertiesForKeys: nil))
        where file.pathExtension == "jsonl" {
            let kind = file.deletingPathExtension().lastPathComponent
            var previous: String?
            for line in try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")) {
                let source = try #require(JSONValue(parsing: Array(line)).objectValue)
                let id = try #require(source["id"]?.idText)
                lines += 1
                guard try Self.isMappedBackUnchanged(kind, source) else {
                    Issue.record("\(kind) \(id) is not mapped back unchanged")
                    continue
                }
                if let previous, !CatalogueOrder.precedes(previous, id) {
                    Issue.record("\(kind) \(previous) should not be before \(id)")
                }
                previous = id
            }
        }
        #expect(lines > 200)
    }

    /// Whether the object is mapped back equal, its body gives no warning, and an artwork's body keeps no original fields.
    private static func isMappedBackUnchanged(_ kind: String, _ source: JSONObject) throws -> Bool {
        var warnings: [FieldWarning] = []
        let known = try #require(Kinds.standard.listed.first { $0.plural == kind })
        let body = CatalogueMapping.entry(known, fromCatalogue: source).body
        let object = try known.type.init(body, warnings: &warnings)
        if let artwork = object as? Artwork {
            guard body[CatalogueMapping.originalsKey] == nil,
                artwork.images.count == source["images"]?.arrayValue?.count
            else { return false }
        }
        return warnings.isEmpty ? try CatalogueRoundTrip.object(kind, source) == source : false
    }
}
