import Foundation
import MirrorStore

/// Invariant 10: the secret that the server requires is in no file, no log line and no message.
struct SecrecyCheck {
    let secret: String
    let folder: MirrorFolder

    /// - Parameter texts: log lines and messages.
    func violations(_ texts: [String]) -> [Violation] {
        var found: [Violation] = []
        let bytes = Array(secret.utf8)
        if let line = texts.first(where: { $0.containsUTF8(bytes) }) {
            found.append(
                Violation(
                    .secretsStaySecret,
                    "A message contains it: \(line.replacing(secret, with: "(the secret)"))"))
        }
        for name in ["mirror.sqlite", "mirror.sqlite-wal", "cache.sqlite", "cache.sqlite-wal"] {
            guard
                let content = try? Data(
                    contentsOf: URL(filePath: "\(folder.path)/\(name)"), options: .alwaysMapped),
                content.withUnsafeBytes({ ByteSearch.containsUTF8($0, bytes) })
            else { continue }
            found.append(Violation(.secretsStaySecret, "\(name) contains it."))
        }
        return found
    }
}
