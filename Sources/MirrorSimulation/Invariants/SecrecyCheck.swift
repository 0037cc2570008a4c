import Foundation
import MirrorStore

/// Invariant 10: the secret with which the server is asked is in no file, no log line and no sentence.
struct SecrecyCheck {
    let secret: String
    let folder: MirrorFolder

    /// - Parameter texts: what was logged, and what was said of problems.
    func violations(_ texts: [String]) -> [Violation] {
        var found: [Violation] = []
        let bytes = Array(secret.utf8)
        if let line = texts.first(where: { $0.holds(bytes) }) {
            found.append(
                Violation(.secretsAreKept, "It was said: \(line.replacing(secret, with: "(the secret)"))"))
        }
        for name in ["mirror.sqlite", "mirror.sqlite-wal", "cache.sqlite", "cache.sqlite-wal"] {
            guard
                let content = try? Data(
                    contentsOf: URL(filePath: "\(folder.path)/\(name)"), options: .alwaysMapped),
                content.withUnsafeBytes({ ByteSearch.holds($0, bytes) })
            else { continue }
            found.append(Violation(.secretsAreKept, "It is in \(name)."))
        }
        return found
    }
}
