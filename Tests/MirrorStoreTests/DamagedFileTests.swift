import Catalogue
import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// Files whose contents don't match their digest.
@Suite("Damaged files")
struct DamagedFileTests {
    private static let file = StoredFile(hash: "ab", size: 1, path: "media/ab/ab", type: nil)
    private static let other = StoredFile(hash: "cd", size: 1, path: "media/cd/cd", type: nil)

    private static let fates: [([DamagedFile.State], StoredFile?, DamagedFile.Fate)] = [
        ([.wanted], nil, .stays), ([.refused], nil, .isSetAside), ([.replaced(other)], nil, .goes),
        ([.wanted, .refused], nil, .stays), ([.wanted, .replaced(other)], nil, .stays),
        ([.refused, .replaced(other)], nil, .isSetAside),
        ([.replaced(other), .replaced(other)], nil, .goes),
        // Nothing used the file, so it won't be requested.
        ([], nil, .isSetAside),
        // The intact file is stored again.
        ([], file, .goes), ([.wanted], file, .goes), ([.refused], file, .goes),
    ]

    @Test(arguments: fates.indices)
    func aDamagedFileIsDeletedOnlyIfAllItsUsesHaveAReplacement(index: Int) {
        let (states, twin, fate) = Self.fates[index]
        let damaged = DamagedFile(file: Self.file, uses: [], states: states, twin: twin)
        #expect(damaged.fate == fate)
        #expect(fate != .goes || !damaged.replacements.isEmpty)
    }

    private let test: TestStore
    private let stored: StoredFile

    init() throws {
        test = try TestStore()
        stored = try test.folder.files.store(Array("picture".utf8), type: "image/jpeg")
        let run = try test.beginRun()
        try test.put(.make(.artwork, "a", images: ["i", "j"]), run: run)
        for image in ["i", "j"] { try assign(image, stored) }
        try Data("pictUre".utf8).write(to: URL(filePath: test.folder.files.absolutePath(stored)))
        try test.store.markDamaged([(stored, "d")])
    }

    private func assign(_ image: String, _ file: StoredFile?) throws {
        _ = try test.store.apply(
            [
                .file(
                    FileRecord(
                        .image(image, format: "larger", role: .picture, of: Owner(.artwork, "a")), entry: "e",
                        file: file, etag: nil, lastModified: nil))
            ], run: 1)
    }

    private func use(_ image: String) -> FileUse {
        .image(image, format: "larger", role: .picture, of: Owner(.artwork, "a"))
    }

    /// Whether the file is at its path, and the number of files that were set aside.
    private func places() throws -> (isInPlace: Bool, aside: Int) {
        let files = test.folder.files
        return (
            FileManager.default.fileExists(atPath: files.absolutePath(stored)),
            try files.setAsideFiles().values.joined().count
        )
    }

    @Test func aDamagedFileStaysAndItsPicturesAreRequestedAgain() throws {
        try test.store.settleDamaged(in: test.folder.files)
        #expect(try places() == (true, 0))
        #expect(try test.store.damagedFiles().map(\.uses) == [[use("i"), use("j")]])
        #expect(try test.store.damagedCopy(of: use("i"))?.digest == "d")
        #expect(
            try test.store.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?.file == nil)
        // It doesn't count as a stray file.
        #expect(try test.store.filePaths(inFolder: String(stored.hash.prefix(2))) == [stored.path])
    }

    @Test func aDamagedFileIsSetAsideIfTheServerRefusesAllItsUses() throws {
        _ = try test.store.apply([.fileRefused(use("i"))], run: 1)
        try test.store.settleDamaged(in: test.folder.files)
        #expect(try places() == (true, 0))
        _ = try test.store.apply([.fileRefused(use("j"))], run: 1)
        for _ in 0..<2 {
            try test.store.settleDamaged(in: test.folder.files)
            #expect(try places() == (false, 1))
        }
        // Another damaged copy doesn't replace the first one that was set aside.
        try assign("i", try test.folder.files.store(Array("picture".utf8), type: "image/jpeg"))
        try Data("Picture".utf8).write(to: URL(filePath: test.folder.files.absolutePath(stored)))
        try test.store.markDamaged([(stored, "e")])
        _ = try test.store.apply([.fileRefused(use("i"))], run: 1)
        try test.store.settleDamaged(in: test.folder.files)
        #expect(try places() == (false, 2))
    }

    /// The file isn't requested again. A run without media doesn't change the wanted formats.
    @Test func aDamagedFileInAnUnwantedFormatIsSetAside() throws {
        for (formats, isInPlace) in [
            (nil, true), ("larger,square", true), ("default", true), ("square", false),
        ]
            as [(String?, Bool)]
        {
            var request = FinishRequest(run: try test.beginRun())
            request.formats = formats
            _ = try test.store.finish(request)
            try test.store.settleDamaged(in: test.folder.files)
            #expect(try places() == (isInPlace, isInPlace ? 0 : 1), "\(formats ?? "no media")")
        }
        #expect(try test.store.damagedFiles().map(\.uses) == [[use("i"), use("j")]])
        // If the format is wanted again and fetched, the new file replaces the damaged one.
        let intact = try test.folder.files.store(Array("picture".utf8), type: "image/jpeg")
        for image in ["i", "j"] { try assign(image, intact) }
        try test.store.settleDamaged(in: test.folder.files)
        #expect(try places() == (true, 0))
        #expect(try test.store.damagedFiles() == [])
    }

    @Test func allUsesOfADamagedFileAreListed() throws {
        let second = try test.folder.files.store(Array("second".utf8), type: "image/jpeg")
        let ids = (0..<300).map { "p\($0)" }
        try test.put(.make(.artwork, "a", name: "again", images: ["i", "j"] + ids), run: 1)
        for id in ids { try assign(id, second) }
        try test.store.markDamaged([(second, nil)])
        let all = Dictionary(
            try test.store.damagedFiles().map { ($0.file.hash, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(all.count == 2)
        #expect(all[stored.hash]?.uses == [use("i"), use("j")])
        #expect(all[second.hash].map { Set($0.uses) } == Set(ids.map(use)))
        #expect(all[second.hash]?.states == Array(repeating: .wanted, count: 300))
    }

    @Test func aMissingReplacementDoesNotReplaceADamagedFile() throws {
        for image in ["i", "j"] { try assign(image, Self.other) }
        try test.store.settleDamaged(in: test.folder.files)
        #expect(try places() == (true, 0))
        #expect(try test.store.damagedFiles().count == 1)
    }

    @Test func anIntactFileAtTheDamagedFilesPathIsNotTreatedAsDamaged() throws {
        try assign("i", try test.folder.files.store(Array("picture".utf8), type: "image/jpeg"))
        try test.store.settleDamaged(in: test.folder.files)
        #expect(try places() == (true, 0))
        #expect(try test.store.damagedFiles() == [])
    }

    @Test func aDamagedCopyWithoutARowIsDeletedOnlyIfTheIntactFileIsStored() throws {
        _ = try test.store.apply([.fileRefused(use("i")), .fileRefused(use("j"))], run: 1)
        try test.store.settleDamaged(in: test.folder.files)
        try test.store.write { try $0.execute(sql: "DELETE FROM damaged_file") }
        try test.store.settleDamaged(in: test.folder.files)
        #expect(try places() == (false, 1))
        try assign("i", try test.folder.files.store(Array("picture".utf8), type: "image/jpeg"))
        try test.store.settleDamaged(in: test.folder.files)
        #expect(try places() == (true, 0))
    }
}
