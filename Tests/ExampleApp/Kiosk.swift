import Foundation
import MirrorStore
import MirrorSync
import OperationTree
import PeriodicLoops

// A small example app: a screen in a museum's entrance hall that shows the works of a mirror. It uses only the products of this
// package, and only their public declarations. Copy from it what your app needs:
//
// - `Kiosk` creates the parts below, and runs sync and watch with them. Start here.
// - `PictureSizeStep` is an additional node of the sync's tree. It processes each downloaded picture.
// - `SyncReport` is a hook that runs after each sync.
// - `LoanLoop` is an additional loop of the watch. It follows a feed of the app's own, here the events of a loan desk.
// - `UpkeepItem` is work that the watch does once an hour.
// - `Showcase` reads the mirror for the screen, and stores the visitors' likes in an album.

/// The app: one mirror, and the app's additions to its sync and watch.
///
/// The app stores its own files in ``MirrorFolder/appFiles``, the folder that a mirror reserves for apps.
struct Kiosk: Sendable {
    let mirror: MirrorFolder
    let sizes: PictureSizes
    let report: SyncReport
    let loans: LoanBook
    private let notify: @Sendable (Notice) -> Void

    /// A change of the app's own files, after which the screen may need an update. ``Showcase/follow(_:)`` reports changes of
    /// the mirror.
    enum Notice: Hashable, Sendable {
        case loans
        case sizes(added: Int, removed: Int)
    }

    /// Creates the app for a mirror, which needn't exist yet.
    ///
    /// - Parameters:
    ///   - desk: the file to which the loan desk appends its events.
    ///   - notify: called for each notice; it may be called from any task.
    init(
        _ mirror: MirrorFolder, desk: URL, notify: @escaping @Sendable (Notice) -> Void = { _ in }
    ) {
        let folder = URL(filePath: mirror.appFiles).appending(path: "kiosk")
        self.mirror = mirror
        self.notify = notify
        sizes = PictureSizes(folder: folder.appending(path: "sizes"))
        report = SyncReport(file: folder.appending(path: "syncs.txt"))
        loans = LoanBook(file: folder.appending(path: "loans.json"), desk: desk)
    }

    /// The tree of the sync: the standard tree, with the node `picture size` under the node `image`, which downloads pictures.
    ///
    /// Its lane is `media`, so that it shares the lane's limit on simultaneous work with the downloads.
    var tree: Tree<String, SyncEnvironment> {
        SyncTree.tree(
            pictures: SyncTree.pictures { Node("picture size", PictureSizeStep(sizes: sizes), lane: .media) })
    }

    /// Called around each sync.
    var hooks: [SyncHook] { [report.hook] }

    /// Followed by the watch, beside the partner's feed.
    var loops: [any EventsLoop] { [LoanLoop(book: loans, notify: notify)] }

    /// Performed by the watch at intervals.
    var items: [any Pollable] { [UpkeepItem(mirror: mirror, sizes: sizes, notify: notify)] }

    /// Brings the mirror up to date, once.
    ///
    /// - Parameter address: the server's address, which the first sync needs; `nil` for the address of the last sync.
    /// - Returns: the summary, with the outcome and the problems. A sync that ends with problems doesn't throw.
    /// - Throws: an error if the sync can't start, for example because another run is in progress.
    func sync(from address: String? = nil) async throws -> SyncSummary {
        try await mirror.sync(from: address, tree: tree, hooks: hooks, userAgent: "Kiosk/1.0")
    }

    /// Creates a watch, which keeps the mirror up to date while its `run()` is running. Cancel the task to end it.
    func watch() throws -> Watch {
        try mirror.watch(tree: tree, hooks: hooks, items: items, loops: loops, userAgent: "Kiosk/1.0")
    }
}
