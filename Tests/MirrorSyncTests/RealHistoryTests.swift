import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Compares the change log after two imports of a real catalogue with the list of changes in its archive.
@Suite(
    "The history of a real catalogue", .serialized,
    .enabled(if: RealCatalogues.arePresent, "there are no catalogues beside the package"))
struct RealHistoryTests {
    /// The changes of a kind's objects, by id.
    private struct Changes: Equatable {
        var added = Set<String>(), removed = Set<String>()
        /// Names of the fields and lists that changed.
        var changed: [String: Set<String>] = [:]
    }

    private func collect(_ body: ((CatalogueChange) throws -> Void) throws -> Void) throws -> [Kind:
        Changes]
    {
        var found: [Kind: Changes] = [:]
        try body { change in
            var kind = found[change.object.kind] ?? Changes()
            let id = change.object.id
            switch change.action {
            case .create: kind.added.insert(id)
            case .delete: kind.removed.insert(id)
            case .update:
                let names =
                    change.fields.map(\.name).filter { $0 != "file_changed_at" } + change.lists.map(\.name)
                if !names.isEmpty { kind.changed[id, default: []].formUnion(names) }
            }
            found[change.object.kind] = kind
        }
        return found
    }

    private func expected(_ pair: String) throws -> JSONObject {
        let file = RealCatalogues.folder.appending(path: "cmoa-medium-\(pair).changes.json")
        return try JSONValue(parsing: Array(Data(contentsOf: file))).objectValue ?? [:]
    }

    private func ids(_ value: JSONValue?) -> Set<String> {
        Set(value?.arrayValue?.compactMap(\.stringValue) ?? [])
    }

    /// All checks use one mirror, because making it takes longest.
    @Test func theLogAndTheDiffOfARealCatalogueAreExactAndARestoreCanBeUndone() async throws {
        let files = try TemporaryFolder(), home = try LiveMirror()
        let since = SinceCheck(home: home, name: "cmoa")
        try await home.importing(RealCatalogues.unpack("cmoa-medium-v0", into: files), as: "cmoa")
        let old = try await since.known(), first = Timestamp.now
        let event = try await since.latestEvent()
        let early = try home.export("cmoa")
        let newer = try RealCatalogues.unpack("cmoa-medium-v1", into: files)
        try await home.importing(newer, as: "cmoa")
        try await since.check(since: first, from: old, sample: 50)
        try await since.check(after: event, from: old)
        try checkHistory(of: home)
        try await checkRestore(home, to: early, from: newer)
    }

    private func checkHistory(of home: LiveMirror) throws {
        let store = try home.mirror("cmoa").store()
        defer { try? store.close() }
        for (pair, run) in [("v0-to-v1", Int64(2))] {
            let log = try collect { note in
                try store.history(ChangeFilter(run: run)) { try note(try CatalogueChange($0)) }
            }
            let from = try #require(try store.lastChange(ofRun: run - 1))
            let to = try #require(try store.lastChange(ofRun: run))
            let diff = try collect { note in
                try store.netChanges(from: from, to: to) { try CatalogueChange($0).map(note) }
            }
            let back = try collect { note in
                try store.netChanges(from: to, to: from) { try CatalogueChange($0).map(note) }
            }
            let document = try expected(pair)
            for kind in [Kind.artist, .artwork, .album, .location] {
                let changes = try #require(document[kind.plural]?.objectValue)
                let mass = ids(changes["mass_fields"])
                for found in [log[kind], diff[kind]].map({ $0 ?? Changes() }) {
                    #expect(found.added == ids(changes["added_ids"]), "\(kind) of \(pair)")
                    #expect(found.removed == ids(changes["removed_ids"]), "\(kind) of \(pair)")
                    guard kind != .location else { continue }
                    #expect(
                        found.changed.count == changes["changed"]?.numberValue?.intValue,
                        "\(kind) of \(pair)")
                    let more = found.changed.filter { entry in
                        !entry.value.subtracting(["artworks"]).isSubset(of: mass)
                            || (entry.value.contains("artworks") && !mass.contains("artwork_ids"))
                    }
                    #expect(
                        Set(more.keys) == ids(changes["changed_beyond_mass_fields_ids"]), "\(kind) of \(pair)"
                    )
                }
                #expect(diff[kind]?.changed == back[kind]?.changed)
                #expect(diff[kind]?.added == back[kind]?.removed && diff[kind]?.removed == back[kind]?.added)
            }
        }
    }

    private func checkRestore(_ home: LiveMirror, to early: [String: [JSONValue]], from newer: CatalogueFiles)
        async throws
    {
        let late = try home.export("cmoa")
        var restore = Restore(try home.mirror("cmoa"))
        restore.source = 2
        restore.includesChanged = true
        let outcome = try await restore.run()
        #expect(outcome.summary.outcome == .complete, "\(outcome.summary.problems.prefix(3))")
        let restored = try home.export("cmoa")
        let changes = try expected("v0-to-v1")
        for kind in ["artists", "artworks", "albums", "locations"] {
            let added = ids(changes[kind]?.objectValue?["added_ids"])
            let old = (restored["\(kind).jsonl"] ?? []).filter { line in
                !added.contains(line.objectValue?["id"]?.idText ?? "")
            }
            #expect(Set(old) == Set(early["\(kind).jsonl"] ?? []), "\(kind)")
        }
        restore.source = nil
        restore.includesChanged = false
        restore.isUndo = true
        #expect(try await restore.run().summary.outcome == .complete)
        #expect(try home.export("cmoa").mapValues { Set($0) } == late.mapValues { Set($0) })
        #expect(try await home.importing(newer, as: "cmoa").hasChanges == false)
    }
}
