import Catalogue
import MirrorHTTP
import MirrorStore
import MirrorSync
import MirrorTesting
import OperationTree
import PeriodicLoops
import Synchronization
import Testing

/// A step of a node under `image`. It records the size of each picture that a sync stores.
struct SizeStep<Environment: Sendable>: Step {
    final class Sizes: Sendable {
        let bytes = Mutex<[String: Int64]>([:])
    }

    let sizes = Sizes()

    func identity(of picture: StoredPicture) -> String { "\(picture.image) \(picture.format)" }

    func perform(_ picture: StoredPicture, in context: StepContext<Environment>) async throws -> [Never] {
        if let file = picture.file {
            sizes.bytes.withLock { $0["\(picture.owner.id) \(picture.format)"] = file.size }
        }
        return []
    }
}

@Test func aStepRunsWithoutASync() async throws {
    let step = SizeStep<Void>(), context = StepContext(node: "size")
    let file = StoredFile(hash: "ab", size: 7, path: "media/ab/ab.jpg", type: "image/jpeg")
    let picture = StoredPicture(
        owner: Owner(.artwork, "cut-piece"), image: "i", format: "larger", file: file, path: nil)
    let items = try await step.expand(picture, in: context).collect()
    #expect(items.count == 1)
    _ = try await step.perform(picture, in: context)
    #expect(step.sizes.bytes.withLock { $0 } == ["cut-piece larger": 7])
}

/// An app's own request.
struct ReadLoan: JSONOperation {
    struct Output: Decodable, Sendable { let borrower: String }
    struct NoArtwork: Error {}

    let artwork: String
    var endpoint: Request.Target { .relative("/artwork/\(artwork)/loan") }

    func validate() throws { if artwork.isEmpty { throw NoArtwork() } }
}

@Test func anOperationRunsOnASuppliedAnswer() async throws {
    let loan = try await ReadLoan(artwork: "cut-piece").simulate(.text(#"{"borrower":"Tate"}"#))
    #expect(loan.borrower == "Tate")
    let error = await #expect(throws: HTTPError.self) {
        try await ReadLoan(artwork: "cut-piece").simulate(.response(status: 404))
    }
    #expect(error?.status == 404)
    await #expect(throws: ReadLoan.NoArtwork.self) {
        try await ReadLoan(artwork: "").simulate(.text("{}"))
    }
}

@Test func aSyncStoresNewObjectsAndDeletesRemovedOnes() async throws {
    let partner = FakePartner { server in
        server.artist("ono")
        server.artwork("cut-piece", title: "Cut Piece", artist: "ono", image: "i")
        server.artwork("sky-piece", title: "Sky Piece", artist: "ono")
        server.files["/artwork/cut-piece/image/i/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    }
    let home = try TemporaryHome(), mirror = try home.mirror("tokyo")
    let step = SizeStep<SyncEnvironment>()
    let tree = SyncTree.tree(pictures: SyncTree.pictures { Node("size", step, lane: .media) })
    var options = SyncOptions()
    options.synchronous = true
    let sync = Sync(
        partner: FakePartner.id, folder: mirror, base: FakePartner.base, options: options, tree: tree,
        makeSession: partner.session)
    #expect(try await sync.run().outcome == .complete)
    #expect(partner.takeRequests().contains("GET /artwork/cut-piece"))
    #expect(step.sizes.bytes.withLock { $0 } == ["cut-piece larger": 7])

    partner.change { $0.remove(.artwork, "sky-piece") }
    #expect(try await sync.run().objects["artwork"]?.deleted == 1)
    let store = try mirror.store()
    #expect(try store.fetchAll(Artwork.self).map(\.title) == ["Cut Piece"])
    try store.close()
}

@Test func theRequestsOfANodeAreInspectedWithoutSendingThem() async throws {
    let partner = FakePartner(), home = try TemporaryHome(), mirror = try home.mirror("tokyo")
    let sync = Sync(
        partner: FakePartner.id, folder: mirror, base: FakePartner.base, makeSession: partner.session)
    _ = try await sync.run()
    _ = partner.takeRequests()
    let store = try mirror.store()
    let environment = try SyncEnvironment(
        partner: FakePartner.id, store: store, folder: mirror, session: partner.session())
    let tree = SyncTree.tree, id = PartnerID(FakePartner.id)
    let requests = try tree.requests(of: "artwork", for: id, in: environment)
    #expect(requests?.map(\.target) == [.relative("/partner/p/artworks?ids=1&size=all")])
    #expect(partner.takeRequests().isEmpty)
    try store.close()
}

/// Counts the visitors of a room.
struct RoomItem: Pollable {
    final class Visits: Sendable {
        let count = Mutex(0)
    }

    let interval = Duration.seconds(60)
    let visits = Visits()

    func poll() async throws { visits.count.withLock { $0 += 1 } }
}

@Test func anItemRunsOnlyWhenTheTestAdvancesTheTime() {
    let time = VirtualClock(), room = RoomItem()
    let center = PollingCenter(clock: time.loopClock, executor: time.executor, random: { 1 })
    center.add(room)
    center.enable(room.uid)
    time.advance(by: .seconds(59))
    #expect(room.visits.count.withLock { $0 } == 0)
    time.advance(by: .seconds(121))
    #expect(room.visits.count.withLock { $0 } == 3)
}
