import Catalogue
import Foundation
import MirrorTesting

/// A catalogue of JSON Lines files that changes at random. The same seed gives the same changes.
final class RandomCatalogue {
    private let random: SeededRandom
    private var kinds: [String: [JSONObject]] = [:]
    private var made = 0

    private static let files = ["artists", "locations", "artworks", "shows", "albums"]

    /// - Parameter size: The initial number of artworks. The other kinds have fewer objects.
    init(seed: UInt64, size: Int) {
        random = SeededRandom(seed: seed)
        for (file, count) in [
            ("artists", size / 5), ("locations", 4), ("artworks", size), ("shows", 6), ("albums", 6),
        ] {
            for _ in 0..<count { add(to: file) }
        }
    }

    /// Changes a field, a list, a picture or a link, or adds or removes an object.
    func edit() {
        let file = Self.files[below(10) < 6 ? 2 : below(Self.files.count)]
        let count = kinds[file]?.count ?? 0
        switch below(10) {
        case 0: add(to: file)
        // Few objects are removed, so that the delete guard stops no import.
        case 1 where count > 4 && below(2) == 0: kinds[file]?.remove(at: below(count))
        default:
            guard count > 0 else { return }
            change(file, below(count))
        }
    }

    private func add(to file: String) {
        let new = object(of: file)
        kinds[file, default: []].append(new)
    }

    private func change(_ file: String, _ index: Int) {
        guard var object = kinds[file]?[index] else { return }
        switch (file, below(3)) {
        case ("shows", 0), ("albums", 0), ("albums", 1): object["artwork_ids"] = ids(of: "artworks", most: 8)
        case ("artworks", 0): object["artist_ids"] = ids(of: "artists", most: 2)
        case ("artworks", 1): object["images"] = images()
        case ("artworks", _): object["title"] = .string(word())
        default: object["name"] = .string(word())
        }
        kinds[file]?[index] = object
    }

    private func object(of file: String) -> JSONObject {
        made += 1
        let id = "\(file.dropLast())-\(made)"
        var object: JSONObject = ["id": .string(id), "slug": .string(id)]
        switch file {
        case "artworks":
            object["title"] = .string(word())
            object["artist_ids"] = ids(of: "artists", most: 2)
            object["location_id"] = one(of: "locations")
            object["images"] = images()
        case "shows":
            object["name"] = .string(word())
            object["artwork_ids"] = ids(of: "artworks", most: 8)
            object["artist_ids"] = ids(of: "artists", most: 3)
            // Half of the shows are running, so that they have their own feeds.
            object["start_date"] = "2020-01-01"
            object["end_date"] = below(2) == 0 ? "2199-12-31" : "2021-01-01"
        case "albums":
            object["name"] = .string(word())
            object["artwork_ids"] = ids(of: "artworks", most: 8)
        default: object["name"] = .string(word())
        }
        return object
    }

    private func images() -> JSONValue {
        .array(
            (0..<below(3)).map { place in
                [
                    "id": .string("picture-\(below(500))-\(place)"), "url": "https://example.org/p.jpg",
                    "width": .integer(60), "height": .integer(40), "is_primary": .bool(place == 0),
                ]
            })
    }

    private func ids(of file: String, most: Int) -> JSONValue {
        var ids: [JSONValue] = []
        for _ in 0..<below(most + 1) {
            guard let id = one(of: file), !ids.contains(id) else { continue }
            ids.append(id)
        }
        return .array(ids)
    }

    private func one(of file: String) -> JSONValue? {
        let all = kinds[file] ?? []
        return all.isEmpty ? nil : all[below(all.count)]["id"]
    }

    private func word() -> String { "Word \(below(1_000_000))" }

    /// A number in `0..<bound`.
    func below(_ bound: Int) -> Int { Int(random.unit() * Double(bound)) }

    func write(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func put(_ name: String, _ text: String) throws {
            try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
        }
        try put("partner.json", #"{"id":"random","slug":"random","name":"Random"}"#)
        for file in Self.files {
            let lines = (kinds[file] ?? []).map { JSONValue.object($0).canonicalText + "\n" }
            try put("\(file).jsonl", lines.joined())
        }
    }
}
