import Foundation
import GRDB

/// Catalogues as files: written line by line, so that any size takes the same memory.
package enum CatalogueFiles {
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// - Parameter folder: is made.
    package static func write(_ catalogue: GeneratedCatalogue, to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(catalogue.partnerFile.utf8).write(to: URL(filePath: "\(folder)/partner.json"))
        for file in catalogue.files {
            let output = try LineFile(writing: "\(folder)/\(file.name)")
            for number in 0..<file.count { output.write(file.line(number)) }
            try output.close()
        }
    }

    /// Writes a catalogue again with another title for every so-manieth artwork.
    ///
    /// - Returns: how many titles were changed.
    @discardableResult
    package static func edit(_ folder: String, to target: String, every step: Int) throws -> Int {
        let manager = FileManager.default
        try manager.createDirectory(atPath: target, withIntermediateDirectories: true)
        for name in try manager.contentsOfDirectory(atPath: folder) where name != "artworks.jsonl" {
            try manager.copyItem(atPath: "\(folder)/\(name)", toPath: "\(target)/\(name)")
        }
        let output = try LineFile(writing: "\(target)/artworks.jsonl")
        var number = 0, changed = 0
        try LineFile.read("\(folder)/artworks.jsonl") { line in
            number += 1
            guard number % step == 0 else { return output.write(line) }
            output.write(try retitled(line))
            changed += 1
        }
        try output.close()
        return changed
    }

    /// How many artworks a catalogue has.
    package static func count(_ folder: String) throws -> Int {
        var count = 0
        try LineFile.read("\(folder)/artworks.jsonl") { count += $0.isEmpty ? 0 : 1 }
        return count
    }

    static func retitled(_ line: String) throws -> String {
        guard var object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
            throw Failure(description: "A line of artworks.jsonl is no JSON object.")
        }
        object["title"] = "\(object["title"] as? String ?? "Untitled") (revised)"
        let data = try JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    /// Puts all that happened to a mirror a day back, as if its catalogue had been imported then.
    ///
    /// A sync asks for what changed since five minutes before the last one; right after an import that is everything.
    package static func age(database: String) throws {
        let queue = try DatabaseQueue(path: database)
        try queue.write { db in
            let moment = "strftime('%Y-%m-%dT%H:%M:%fZ', "
            try db.execute(sql: "UPDATE change SET at = \(moment)at, '-1 day')")
            try db.execute(
                sql: """
                    UPDATE sync_log SET started_at = \(moment)started_at, '-1 day'),
                      ended_at = \(moment)ended_at, '-1 day')
                    """)
        }
        try queue.close()
    }
}
