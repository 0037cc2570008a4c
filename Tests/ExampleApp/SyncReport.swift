import Foundation
import MirrorStore
import MirrorSync

/// A text file with one line for each sync, for the person who maintains the kiosk.
struct SyncReport: Sendable {
    let file: URL

    /// A hook that appends a line after each sync, also after a failed one.
    var hook: SyncHook {
        SyncHook(
            "kiosk report",
            after: { context, summary in
                let artworks = summary.objects["artwork"] ?? .zero
                let works = try context.store.counts()[.artwork] ?? 0
                try append(
                    "\(context.run) \(summary.outcome.rawValue): \(artworks.created) new, \(artworks.deleted) deleted, \(works) works"
                )
            })
    }

    /// The lines of the file, the oldest first.
    var lines: [String] {
        get throws {
            guard FileManager.default.fileExists(atPath: file.path) else { return [] }
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }

    private func append(_ line: String) throws {
        let text = try (lines + [line]).map { "\($0)\n" }.joined()
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
    }
}
