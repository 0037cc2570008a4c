import Foundation
import MirrorSync

/// A generated catalogue of any size, with objects like those of real ones. The same size gives the same catalogue.
///
/// An artwork has about 2 kB of JSON. There is one artist for four artworks. There are at most 200 locations, 50 albums and
/// 30 shows. Each line depends only on its number and the catalogue's size, and so writing the catalogue takes little memory.
package struct GeneratedCatalogue: Sendable {
    package static let partner = "bench"

    package let artworks: Int

    package init(artworks: Int) { self.artworks = artworks }

    var artists: Int { max(1, artworks / 4) }
    var locations: Int { min(200, max(2, artworks / 250)) }
    var albums: Int { min(50, max(2, artworks / 100)) }
    var shows: Int { min(30, max(2, artworks / 300)) }

    package struct File: Sendable {
        package let name: String
        package let count: Int
        package let line: @Sendable (Int) -> String
    }

    /// All files except `partner.json`.
    package var files: [File] {
        [
            File(name: "artists.jsonl", count: artists, line: artist),
            File(name: "locations.jsonl", count: locations, line: location),
            File(name: "artworks.jsonl", count: artworks, line: artwork),
            File(name: "shows.jsonl", count: shows, line: show),
            File(name: "albums.jsonl", count: albums, line: album),
        ]
    }

    package var partnerFile: String {
        """
        {"id":"\(Self.partner)","slug":"\(Self.partner)","name":"A museum of \(artworks) artworks","type":"museum"}

        """
    }

    /// Writes the catalogue line by line, so that the memory doesn't depend on the size.
    ///
    /// - Parameter folder: the target folder, which is created.
    package func write(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(partnerFile.utf8).write(to: URL(filePath: "\(folder)/partner.json"))
        for file in files {
            let path = "\(folder)/\(file.name)"
            try Data().write(to: URL(filePath: path))
            let output = try FileHandle(forWritingTo: URL(filePath: path))
            var lines = Data()
            for number in 0..<file.count {
                lines += Data((file.line(number) + "\n").utf8)
                if lines.count >= 1 << 20 {
                    try output.write(contentsOf: lines)
                    lines = Data()
                }
            }
            try output.write(contentsOf: lines)
            try output.close()
        }
    }

    func artwork(_ number: Int) -> String {
        var dice = SplitMix(seed: UInt64(number) &+ 0x61)
        let id = Self.id("a", number)
        let title = Self.words(3 + dice.below(6), &dice)
        let year = 1_500 + dice.below(520), width = 100 + dice.below(2_000), height = 100 + dice.below(2_000)
        let artists =
            dice.chance(10)
            ? [dice.below(self.artists), dice.below(self.artists)] : [number / 4 % self.artists]
        let ids = artists.map { "\"\(Self.id("p", $0))\"" }.joined(separator: ",")
        return """
            {"id":"\(id)","slug":"\(Self.slug(title))-\(id)","title":"\(title)","artist_ids":[\(ids)],\
            "date_text":"\(year)","date_start":"\(year)-01-01","date_end":"\(year)-12-31",\
            "medium":"\(medium(&dice))","category":"\(Self.word(&dice))","department":"\(Self.word(&dice))",\
            "accession_number":"\(year).\(number)","dimensions_text":"\(width) × \(height) mm",\
            "width":\(width),"height":\(height),"units":"mm","credit_line":"Gift of \(Self.words(2, &dice))",\
            "provenance":"\(Self.sentences(3, &dice))","exhibition_history":"\(Self.sentences(4, &dice))",\
            "literature":"\(Self.sentences(3, &dice))","signature":"\(Self.words(3, &dice))",\
            "location_id":"\(Self.id("l", dice.below(locations)))","public_domain":\(dice.chance(60)),\
            "url":"https://museum.example/collection/\(id)",\
            "images":[{"id":"i\(id)","url":"https://museum.example/images/\(id).jpg","width":\(width * 2),\
            "height":\(height * 2),"is_primary":true}],"updated_at":"2026-01-01T00:00:00Z"}
            """
    }

    /// One of as many media as a twentieth of the artworks, the first of them far more often than the last.
    private func medium(_ dice: inout SplitMix) -> String {
        let chosen = dice.below(1 << 20), number = (max(1, artworks / 20) * chosen * chosen) >> 40
        var words = SplitMix(seed: UInt64(number) &+ 0x5_0000_0000)
        return Self.words(4, &words)
    }

    func artist(_ number: Int) -> String {
        var dice = SplitMix(seed: UInt64(number) &+ 0x1_0000_0000)
        let id = Self.id("p", number), first = Self.word(&dice), last = Self.word(&dice)
        let born = 1_450 + dice.below(500)
        return """
            {"id":"\(id)","slug":"\(first)-\(last)-\(id)","name":"\(first) \(last)","sort_name":"\(last), \(first)",\
            "birth_year":\(born),"death_year":\(born + 60),"nationality":"\(Self.word(&dice))",\
            "blurb":"\(Self.sentences(2, &dice))"}
            """
    }

    func location(_ number: Int) -> String {
        let id = Self.id("l", number)
        return "{\"id\":\"\(id)\",\"slug\":\"gallery-\(id)\",\"name\":\"Gallery \(number + 1)\"}"
    }

    func show(_ number: Int) -> String {
        var dice = SplitMix(seed: UInt64(number) &+ 0x2_0000_0000)
        let id = Self.id("s", number), name = Self.words(4, &dice), year = 1_990 + dice.below(35)
        let members = members(from: number * 31, count: 40)
        return """
            {"id":"\(id)","slug":"\(Self.slug(name))-\(id)","name":"\(name)","start_date":"\(year)-03-01",\
            "end_date":"\(year)-09-01","status":"closed","blurb":"\(Self.sentences(2, &dice))",\
            "location_id":"\(Self.id("l", number % locations))","artwork_ids":[\(members)],"artist_ids":[]}
            """
    }

    func album(_ number: Int) -> String {
        var dice = SplitMix(seed: UInt64(number) &+ 0x3_0000_0000)
        let id = Self.id("b", number), name = Self.words(2, &dice)
        return """
            {"id":"\(id)","slug":"\(Self.slug(name))-\(id)","name":"\(name)","kind":"classification",\
            "artwork_ids":[\(members(from: number, count: min(500, max(10, artworks / 50))))]}
            """
    }

    /// Artworks at equal distances, each at most once.
    private func members(from start: Int, count: Int) -> String {
        let count = min(count, artworks)
        let stride = max(1, artworks / max(1, count))
        return (0..<count).map { "\"\(Self.id("a", (start + $0 * stride) % artworks))\"" }.joined(
            separator: ",")
    }

    private static func id(_ kind: String, _ number: Int) -> String {
        // As in real catalogues, ids are not in the order of creation.
        var dice = SplitMix(seed: UInt64(number) &+ 0x4_0000_0000)
        return kind + String(dice.next() >> 32, radix: 16) + String(number, radix: 36)
    }
}

extension GeneratedCatalogue {
    private static let vocabulary = """
        water lilies portrait woman standing river evening still life with oranges blue green landscape view old bridge \
        harbour winter morning study after figure seated musician garden bronze marble silver gelatin print paper ink \
        lithograph canvas panel oak tempera etching drypoint album leaf fragment vessel bowl lid handle textile silk \
        embroidery señora château über naïve façade König café Dürer collection private acquired estate sale gallery \
        auction bequest exhibited catalogue page plate number reproduced colour museum academy spring annual retrospective
        """.split(separator: " ").map(String.init)

    static func word(_ dice: inout SplitMix) -> String { vocabulary[dice.below(vocabulary.count)] }

    static func words(_ count: Int, _ dice: inout SplitMix) -> String {
        var text = word(&dice)
        for _ in 1..<max(2, count) { text += " " + word(&dice) }
        return text
    }

    static func sentences(_ count: Int, _ dice: inout SplitMix) -> String {
        var text = words(16, &dice) + "."
        for _ in 1..<max(2, count) { text += " " + words(16, &dice) + "." }
        return text
    }

    static func slug(_ text: String) -> String {
        text.split(separator: " ").joined(separator: "-")
    }
}
