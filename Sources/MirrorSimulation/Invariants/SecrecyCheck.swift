import Foundation
import MirrorStore

/// Invariant 10: the secret with which the server is asked is in no file, no log line and no sentence.
struct SecrecyCheck {
    let secret: String
    let folder: MirrorFolder

    /// Many times as fast as `Data.range(of:)`.
    private static func holds(_ content: Data, _ bytes: [UInt8]) -> Bool {
        content.withUnsafeBytes { content in
            guard var place = content.baseAddress, let first = bytes.first else { return false }
            let end = place + content.count
            while let found = memchr(place, Int32(first), end - place).map({ UnsafeRawPointer($0) }),
                end - found >= bytes.count
            {
                if memcmp(found, bytes, bytes.count) == 0 { return true }
                place = found + 1
            }
            return false
        }
    }

    /// - Parameter texts: what was logged, and what was said of problems.
    func violations(_ texts: [String]) -> [Violation] {
        var found: [Violation] = []
        if let line = texts.first(where: { $0.contains(secret) }) {
            found.append(
                Violation(.secretsAreKept, "It was said: \(line.replacing(secret, with: "(the secret)"))"))
        }
        let bytes = Array(secret.utf8)
        for name in ["mirror.sqlite", "mirror.sqlite-wal", "cache.sqlite", "cache.sqlite-wal"] {
            guard
                let content = try? Data(
                    contentsOf: URL(filePath: "\(folder.path)/\(name)"), options: .alwaysMapped),
                Self.holds(content, bytes)
            else { continue }
            found.append(Violation(.secretsAreKept, "It is in \(name)."))
        }
        return found
    }
}
