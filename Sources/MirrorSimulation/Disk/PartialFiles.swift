import Foundation
import MirrorStore
import MirrorSync

/// Simulates the effect of a power cut on partial downloads, none of which were synced.
struct PartialFiles {
    let folder: MirrorFolder

    func lose(_ seed: UInt64) throws {
        let partial = "\(folder.path)/media/.partial"
        var random = SplitMix(seed: seed)
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: partial)) ?? []).sorted() {
            let path = "\(partial)/\(name)"
            guard let content = FileManager.default.contents(atPath: path) else { continue }
            var bytes = Array(content)
            switch random.below(4) {
            case 0:
                try FileManager.default.removeItem(atPath: path)
                continue
            case 1: bytes.removeLast(random.below(bytes.count + 1))
            case 2:
                // The file keeps its length, but loses the end of its content.
                let start = random.below(bytes.count)
                for index in bytes.indices.dropFirst(start) { bytes[index] = 0 }
            default: continue
            }
            try Data(bytes).write(to: URL(filePath: path))
        }
    }
}
