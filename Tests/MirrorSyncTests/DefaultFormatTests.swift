import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("The formats of pictures without --formats", .limitedConcurrency) struct DefaultFormatTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

    private static func image(_ id: String, _ more: String = "") -> String {
        #"{"id":"\#(id)","image_url":"artwork/a/image/\#(id)/larger.jpg","image_versions":["square","medium","larger"]\#(more)}"#
    }

    private let partner = FakePartner { state in
        DefaultFormatTests.put(["i", "j", "k"].map { DefaultFormatTests.image($0) }, in: &state)
        for id in ["i", "j", "k"] {
            for (number, format) in ["square", "medium", "larger"].enumerated() {
                state.files["/artwork/a/image/\(id)/\(format).jpg"] =
                    DefaultFormatTests.jpeg + Array(repeating: UInt8(number), count: number * 10)
                    + Array(id.utf8)
            }
        }
    }

    private static func put(_ images: [String], in state: inout FakePartner.State, title: String = "A") {
        state.put(
            .artwork, "a", #"{"id":"a","title":"\#(title)","images":[\#(images.joined(separator: ","))]}"#)
    }

    /// Syncs, and returns the requested pictures.
    private func sync(
        _ mirror: TestMirror, _ formats: PictureFormats? = nil
    ) async throws -> [String] {
        _ = partner.takeRequests()
        let summary = try await mirror.sync { $0.formats = formats }
        #expect(summary.outcome == .complete, "\(summary.problems)")
        return partner.takeRequests().filter { $0.hasSuffix(".jpg") }
            .map { String($0.dropFirst("GET /artwork/a/image/".count).dropLast(".jpg".count)) }.sorted()
    }

    private func use(_ extensions: [String]) {
        partner.change { ($0.extensions, $0.hasListETags) = (extensions, !extensions.isEmpty) }
    }

    @Test(arguments: [[], ["validators"], ["validators", "since"]])
    func aNewMirrorStoresASecondFormatOfTheFirstPictureOnly(extensions: [String]) async throws {
        use(extensions)
        let mirror = try TestMirror(partner)
        #expect(try await sync(mirror) == ["i/larger", "i/medium", "j/larger", "k/larger"])
        #expect(try mirror.read { try $0.rememberedFormats() } == .standard)
        #expect(try await sync(mirror) == [])
        // Another picture becomes the first one.
        partner.change {
            Self.put(
                [Self.image("i"), Self.image("j", #","is_default":true"#), Self.image("k")], in: &$0,
                title: "B")
            $0.date = "Sat, 21 Nov 2026 10:00:05 GMT"
            $0.report(.artwork, "a", at: "2026-11-21T10:00:05Z")
        }
        let after = try await sync(mirror)
        #expect(after.contains("j/medium") && !after.contains("i/medium") && !after.contains("k/medium"))
        #expect(try await sync(mirror) == [])
    }

    @Test(arguments: [[], ["validators"], ["validators", "since"]])
    func aMirrorKeepsItsFormatsUntilOthersAreChosen(extensions: [String]) async throws {
        use(extensions)
        let mirror = try TestMirror(partner)
        // As in a mirror that an earlier version made.
        #expect(try await sync(mirror, .largest) == ["i/larger", "j/larger", "k/larger"])
        #expect(try await sync(mirror) == [])
        #expect(try await sync(mirror, .standard) == ["i/medium"])
        #expect(try await sync(mirror, ["square"]) == ["i/square", "j/square", "k/square"])
        #expect(try await sync(mirror) == [])
        #expect(try mirror.read { try $0.rememberedFormats() } == ["square"])
    }

    /// A mirror that an earlier version made serves only `larger`, although its pictures' entries name other formats.
    @Test(arguments: [[], ["validators"], ["validators", "since"]])
    func aServerWithoutTheSecondFormatIsNoProblem(extensions: [String]) async throws {
        use(extensions)
        partner.change { $0.files["/artwork/a/image/i/medium.jpg"] = nil }
        let mirror = try TestMirror(partner)
        #expect(try await sync(mirror) == ["i/larger", "i/medium", "j/larger", "k/larger"])
        let second = try await mirror.sync()
        #expect(second.outcome == .complete && second.unavailable == UnavailableFiles())
        partner.change { $0.files["/artwork/a/image/j/larger.jpg"] = nil }
        #expect(try await TestMirror(partner).sync().unavailable == UnavailableFiles(images: 1))
    }

    @Test(arguments: [[], ["validators"]])
    func aDryRunCountsTheSecondFilesOfFirstPictures(extensions: [String]) async throws {
        use(extensions)
        let mirror = try TestMirror(partner)
        let plan = try #require(await mirror.plan().summary.plan)
        #expect(plan.files["image"]?.rounded == 4)
        let done = try await mirror.sync()
        #expect(done.objects["image"]?.created == 4)
        #expect(plan.requests.rounded == done.requests.sent)
        #expect(try #require(await mirror.plan().summary.plan).files["image"]?.rounded == 0)
    }

    @Test func aRepairFetchesALostSecondFile() async throws {
        use(["validators"])
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        try mirror.read { store in
            let files = try store.imageFiles(of: Owner(.artwork, "a"), role: .picture)
            try store.forgetFiles([#require(files["i"]?["medium"]?.file).hash])
        }
        #expect(try await mirror.verify { $0.repair = true }.summary.outcome == .repaired)
        let files = try mirror.read { try $0.imageFiles(of: Owner(.artwork, "a"), role: .picture) }
        #expect(files["i"]?["medium"]?.file != nil)
    }

    @Test func theSizeInPixelsIsStoredWithAFile() async throws {
        partner.change { state in
            // A PNG's header: 640 × 480.
            let png: [UInt8] = [
                0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2,
                0x80, 0, 0, 1, 0xE0, 8, 2, 0, 0, 0,
            ]
            state.files["/artwork/a/image/i/larger.jpg"] = png
        }
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        let sizes = try mirror.read { store in
            try store.imageFiles(of: Owner(.artwork, "a"), role: .picture).mapValues { files in
                try files["larger"]?.file.flatMap {
                    try store.pixelSize(of: $0, in: FileStore(folder: "/nowhere"))
                }
            }
        }
        #expect(sizes["i"] == PixelSize(width: 640, height: 480))
        #expect(sizes["j"] == .some(nil))
        #expect(try mirror.read { try $0.readPixelSizes(in: mirror.mirror.files) } == 0)
    }
}
