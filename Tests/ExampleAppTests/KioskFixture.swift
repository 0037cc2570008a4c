import Foundation
import MirrorStore
import MirrorSync
import MirrorTesting
import Synchronization

@testable import ExampleApp

/// A kiosk in a temporary home, which syncs from a fake partner in memory.
final class KioskFixture: Sendable {
    let partner = FakePartner { server in
        server.artist("ono")
        server.artwork("cut-piece", title: "Cut Piece", artist: "ono", image: "i")
        server.artwork("sky-piece", title: "Sky Piece", artist: "ono")
        server.show("now", ["sky-piece", "cut-piece"])
        server.albums = FakePartner.Albums()
        server.files["/artwork/cut-piece/image/i/larger.jpg"] = KioskFixture.jpeg(640, 480)
    }
    let home: TemporaryHome
    let kiosk: Kiosk
    private let recorder: NoticeRecorder

    /// Collects the kiosk's notices.
    final class NoticeRecorder: Sendable {
        let all = Mutex<[Kiosk.Notice]>([])
    }

    init() throws {
        let home = try TemporaryHome(), recorder = NoticeRecorder()
        self.home = home
        self.recorder = recorder
        kiosk = Kiosk(
            try home.mirror("tokyo"), desk: URL(filePath: home.path).appending(path: "desk"),
            notify: { notice in recorder.all.withLock { $0.append(notice) } })
    }

    /// The start of a JPEG with that size, as far as the kiosk reads it. The text makes its bytes unique.
    static func jpeg(_ width: Int, _ height: Int, _ text: String = "") -> [UInt8] {
        let comment = Array(text.utf8)
        let start: [UInt8] = [0xFF, 0xD8, 0xFF, 0xFE, 0, UInt8(comment.count + 2)] + comment
        let size = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return start + [0xFF, 0xC0, 0, 11, 8] + size + [1, 1, 0x11, 0, 0xFF, 0xD9]
    }

    static var options: SyncOptions {
        var options = SyncOptions()
        options.synchronous = true
        return options
    }

    /// Runs the kiosk's sync with the fake partner.
    @discardableResult
    func sync() async throws -> SyncSummary {
        try await Sync(
            partner: FakePartner.id, folder: kiosk.mirror, base: FakePartner.base, options: Self.options,
            tree: kiosk.tree, hooks: kiosk.hooks, makeSession: partner.session
        ).run()
    }

    /// The kiosk's watch, with virtual time.
    func watch(_ time: VirtualClock) -> Watch {
        Watch(
            partner: FakePartner.id, folder: kiosk.mirror, base: FakePartner.base, options: Self.options,
            interval: .seconds(300), tree: kiosk.tree, hooks: kiosk.hooks, now: { time.now },
            clock: time.loopClock,
            executor: time.executor, random: { 1 }, items: kiosk.items, loops: kiosk.loops,
            makeSession: partner.session)
    }

    /// Appends an event to the desk's file: the work is lent to a borrower, or returned if `borrower` is `nil`.
    func lend(_ artwork: String, to borrower: String?) throws {
        let old = (try? Data(contentsOf: kiosk.loans.desk)) ?? Data()
        let line = try JSONEncoder().encode(LoanBook.Event(artwork: artwork, borrower: borrower))
        try (old + line + Data("\n".utf8)).write(to: kiosk.loans.desk)
    }

    /// Returns the notices since the last call.
    func takeNotices() -> [Kiosk.Notice] {
        recorder.all.withLock { all in
            defer { all = [] }
            return all
        }
    }
}
