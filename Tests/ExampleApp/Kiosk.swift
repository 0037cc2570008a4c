import Foundation
import MirrorStore
import MirrorSync
import OperationTree
import PeriodicLoops

// An app in small: a screen in a museum's entrance hall, which shows the works of a mirror. It is made of this package's products
// alone, and of what is public in them.
//
// `PictureSizeStep` is a node of its sync's tree, `SyncReport` a hook, `LoanLoop` a feed beside the partner's, `UpkeepItem` is
// done at intervals. `Showcase` is what the screen shows. `Kiosk` puts them together.

/// The app: one mirror, and what is done with it.
///
/// Its own files are in the folder that a mirror leaves to apps.
struct Kiosk: Sendable {
    let mirror: MirrorFolder
    let sizes: PictureSizes
    let report: SyncReport
    let loans: LoanBook
    private let notify: @Sendable (Notice) -> Void

    /// What may change the screen, beside what a sync commits.
    enum Notice: Hashable, Sendable {
        case loans
        case sizes(added: Int, removed: Int)
    }

    /// - Parameters:
    ///   - desk: the file to which the loan desk appends.
    ///   - notify: called from any task.
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

    /// The whole sync, with a node under the pictures.
    var tree: Tree<String, SyncEnvironment> {
        SyncTree.tree(
            pictures: SyncTree.pictures { Node("picture size", PictureSizeStep(sizes: sizes), lane: .media) })
    }

    var hooks: [SyncHook] { [report.hook] }

    var loops: [any EventsLoop] { [LoanLoop(book: loans, notify: notify)] }

    var items: [any Pollable] { [UpkeepItem(mirror: mirror, sizes: sizes, notify: notify)] }

    /// Brings the mirror up to date.
    ///
    /// - Parameter address: of the server at the first sync; `nil` for the one that is remembered.
    func sync(from address: String? = nil) async throws -> SyncSummary {
        try await mirror.sync(from: address, tree: tree, hooks: hooks, userAgent: "Kiosk/1.0")
    }

    /// Keeps the mirror current from opening time to closing time.
    func watch() throws -> Watch {
        try mirror.watch(tree: tree, hooks: hooks, items: items, loops: loops, userAgent: "Kiosk/1.0")
    }
}
