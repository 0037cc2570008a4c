import Catalogue
import Foundation
import MirrorDemo

/// The demo's catalogue as a folder of JSON Lines, in two versions: the first, and a later one with many edits.
struct KillCatalogue {
    /// The partner's slug. Not `demo`: a mirror with that name and a server on this machine would be taken for the
    /// built-in one.
    static let partner = "museum"

    /// The number of artworks in the first version.
    let artworks: Int

    private typealias Lines = [JSONObject]

    /// Writes the catalogue.
    ///
    /// - Parameter isEdited: whether the later version is written. In that one, every sixth artwork has another title,
    ///   some are deleted (fewer than the delete guard stops), some have other pictures, some are new, and albums have
    ///   another order.
    func write(to folder: String, isEdited: Bool) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let files = DemoCatalogue.files
        var works = try Self.lines(files["artworks.jsonl"]).prefix(artworks).map { $0 }
        if isEdited { works = Self.edited(works) }
        let ids = Set(works.compactMap { $0["id"]?.idText })
        for (name, text) in files {
            var content = text
            switch name {
            case "partner.json": content = Self.partnerFile
            case "artworks.jsonl": content = Self.text(works)
            case "albums.jsonl", "shows.jsonl":
                var owners = try Self.lines(text)
                for index in owners.indices {
                    guard case .array(let members)? = owners[index]["artwork_ids"] else { continue }
                    let there = members.filter { $0.idText.map(ids.contains) ?? false }
                    owners[index]["artwork_ids"] = .array(isEdited ? there.reversed() : there)
                }
                content = Self.text(owners)
            default: break
            }
            try content.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
    }

    static let partnerFile = #"{"id":"\#(partner)","slug":"\#(partner)","name":"A museum"}"# + "\n"

    private static func edited(_ works: Lines) -> Lines {
        var edited: Lines = []
        for (index, work) in works.enumerated() where index % 9 != 4 {
            var work = work
            if index % 6 == 0 { work["title"] = .string("Another title of \(index)") }
            if index % 7 == 2 { work["images"] = pictures("\(index)", of: work) }
            edited.append(work)
        }
        for (number, work) in works.prefix(4).enumerated() {
            var new = work
            new["id"] = .string("new-\(number)")
            new["slug"] = .string("new-\(number)")
            new["images"] = pictures("new-\(number)", of: work)
            edited.append(new)
        }
        return edited
    }

    private static func pictures(_ name: String, of work: JSONObject) -> JSONValue {
        guard case .array(let images)? = work["images"] else { return .array([]) }
        return .array(
            images.enumerated().map { index, image in
                guard case .object(var image) = image else { return image }
                image["id"] = .string("other-\(name)-\(index)")
                return .object(image)
            })
    }

    private static func lines(_ text: String?) throws -> Lines {
        try (text ?? "").split(separator: "\n").compactMap { try JSONValue(parsing: String($0)).objectValue }
    }

    private static func text(_ lines: Lines) -> String {
        lines.map { JSONValue.object($0).canonicalText + "\n" }.joined()
    }
}
