import Catalogue
import MirrorSync
import MirrorTesting
import Testing

@testable import MirrorCLI
@testable import MirrorStore

@Suite("Albums and notes on the command line") struct AlbumOutputTests {
    @Test(arguments: [
        ["album", "create", ""], ["album", "create", "  "], ["album", "create", "a\u{0}b"],
        ["album", "create", "a\nb"], ["album", "create", "a\u{1B}[31m"], ["album", "create", "a\u{2028}b"],
        ["album", "create", String(repeating: "é", count: 501)],
        ["album", "create", "a", "--description", "\u{7}"],
        ["album", "create", "a", "--private", "--public"],
        ["album", "rename", "a"], ["album", "rename", "a", "\t"], ["album", "describe", "a"],
        ["album", "describe", "a", String(repeating: "x", count: 65_537)], ["album", "add", "a"],
        ["note", "add", "painting", "a", "text"], ["note", "add", "artwork", "a"],
        ["note", "add", "artwork", "a", " "], ["note", "edit", "first", "text"], ["note", "remove"],
    ])
    func wrongUsageOfAlbumAndNoteEndsWithCode64(arguments: [String]) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(arguments)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
        }
    }

    @Test(arguments: [
        ["album", "create", String(repeating: "é", count: 500)], ["album", "create", "日本 🖼️"],
        ["album", "describe", "a", ""], ["album", "describe", "a", "one\ntwo"],
        ["album", "describe", "a", "--public"],
        ["note", "add", "artworks", "a", "several", "words"], ["note", "list"],
        ["note", "list", "show", "s"],
    ])
    func ordinaryNamesAndTextsAreAccepted(arguments: [String]) throws {
        _ = try MirrorCommand.parseAsRoot(arguments)
    }

    private func album(
        _ id: String, pending: Bool = false, acknowledged: Bool = true, failures: [String] = []
    ) -> AlbumSummary {
        AlbumSummary(
            id: id, slug: nil, fields: AlbumFields(name: "Sum\u{1B}mer", description: nil, isPrivate: true),
            artworks: 2, isPending: pending, isAcknowledged: acknowledged, failures: failures)
    }

    @Test func theLineOfAnAlbumShowsTheStateOfItsEdits() {
        #expect(
            album("m").line(isPushed: true)
                == "m                             Sum\u{FFFD}mer  2 artworks  (private)")
        #expect(
            album("m", pending: true).line(isPushed: true).hasSuffix(
                "(private; edited, not pushed yet)"))
        #expect(
            album("m", pending: true, acknowledged: false).line(isPushed: true)
                .hasSuffix("(private; new, not pushed yet)"))
        #expect(album("m", failures: ["No."]).line(isPushed: true).hasSuffix("(private; refused: No.)"))
        #expect(album("m", pending: true).json["pending"] == true)
    }

    @Test func `edits of albums that no server accepts are not announced as pushes`() {
        #expect(
            album("m", pending: true).line(isPushed: false).hasSuffix("(private; edited in this mirror)"))
        #expect(
            album("m", pending: true, acknowledged: false).line(isPushed: false)
                .hasSuffix("(private; only in this mirror)"))
    }

    @Test func aNoteIsShownWithItsNumberAndDay() {
        let note = Note(
            number: 7, kind: .artwork, id: "a", text: "One\nTwo \u{1B}[31m",
            madeAt: "2026-11-21T10:00:00.000Z",
            editedAt: nil, objectExists: false)
        #expect(
            note.lines(width: 80, isNamed: true) == [
                "  7  2026-11-21  artwork a (no longer stored)", "                 One",
                "                 Two \u{FFFD}[31m",
            ])
        #expect(note.lines(width: 80).first == "  7  2026-11-21  One")
        #expect(note.json["here"] == false)
    }

    private func conflict(_ resolution: AlbumConflict.Outcome, _ local: String?, _ server: String?) throws
        -> CatalogueConflict
    {
        try CatalogueConflict(
            LoggedConflict(
                seq: 1, run: 3, at: "2026-11-21T10:00:00.000Z", kind: "album", id: "m",
                resolution: resolution,
                local: local, server: server))
    }

    @Test func aConflictIsShownWithBothVersions() throws {
        let shown = try conflict(.server, #"{"id":"m","name":"Mine"}"#, #"{"id":"m","name":"Th\u001beirs"}"#)
        #expect(
            ConflictText.lines(shown) == [
                "  ! album     m                             Mine",
                "      It was changed locally and on the server; the server's version was kept.",
                "      name: Mine locally, Th\u{FFFD}eirs on the server",
            ])
        #expect(
            shown.json.canonicalText
                == #"{"at":"2026-11-21T10:00:00.000Z","fields":{"name":["Mine","Th\u001beirs"]},"id":"m","kind":"album","local":{"id":"m","name":"Mine"},"resolution":"server","run":3,"server":{"id":"m","name":"Th\u001beirs"},"type":"conflict"}"#
        )
        #expect(try conflict(.deleted, #"{"name":"Mine"}"#, nil).json["server"] == .null)
        #expect(try conflict(.local, nil, #"{"name":"Theirs"}"#).fields.isEmpty)
    }

    @Test func anAmbiguousAlbumNameIsAnErrorThatListsTheIds() throws {
        let folder = try TemporaryFolder()
        let store = try CatalogueStore.open(at: folder.file("mirror.sqlite"))
        defer { try? store.close() }
        let editor = try AlbumEditor(store)
        let ids = try (0..<2).map { _ in try editor.create(AlbumChange(name: "Twin", isPrivate: true)) }
        let choice = Switchboard(store: store, mirror: "p")
        #expect(try choice.album(ids[0]).id == ids[0])
        #expect {
            _ = try choice.album("Twin")
        } throws: { error in
            guard let error = error as? CommandError else { return false }
            return error.code == .severalAlbums && ids.allSatisfy(error.message.contains)
        }
        for wrong in ["none", "tw", ""] {
            #expect { _ = try choice.album(wrong) } throws: { ($0 as? CommandError)?.code == .notFound }
            #expect { _ = try choice.artwork(wrong) } throws: { ($0 as? CommandError)?.code == .notFound }
        }
    }

    @Test func theLogShowsConflictsWithTheChangesOfTheirRun() throws {
        let folder = try TemporaryFolder()
        let store = try CatalogueStore.open(at: folder.file("mirror.sqlite"))
        defer { try? store.close() }
        func put(_ name: String, etag: String, run: Int64) throws {
            let body = JSONObject([("id", "m"), ("name", .string(name))])
            let values = Kind.album.columns.map { $0.name == "name" ? FieldValue.text(name) : .null }
            let record = ObjectRecord(
                kind: .album, id: "m", values: values, json: body.canonicalText, etag: etag)
            _ = try store.apply([.object(record)], run: run)
        }
        try put("Original", etag: "\"1\"", run: try store.beginRun("sync"))
        #expect(try AlbumEditor(store).change("m", by: AlbumChange(name: "Mine")))
        try put("Theirs", etag: "\"2\"", run: try store.beginRun("sync"))
        try put("Later", etag: "\"3\"", run: try store.beginRun("sync"))
        var lines: [String] = []
        try store.history(ChangeFilter(kind: .album, id: "m")) { run in
            lines.append(run.map { "run \($0.run)" } ?? "no run")
        } conflict: { conflict in
            lines.append("conflict \(conflict.resolution.rawValue)")
        } _: { change in
            lines.append(change.action.rawValue)
        }
        #expect(
            lines == [
                "run 3", "update", "run 2", "conflict server", "update", "no run", "update", "run 1",
                "create",
            ])
    }
}
