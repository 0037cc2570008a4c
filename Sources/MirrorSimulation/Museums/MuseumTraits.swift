import CatalogueSources
import Foundation
import MirrorSync

/// The properties of a museum in one history: how much may be requested, how long its pages are, and what is fetched.
struct MuseumTraits: Sendable {
    let museum: ImitatedMuseum.Name
    /// The maximum number of requests a second to each host.
    let rate: Int
    /// The maximum number of requests a day to each host; `nil` for no limit.
    let perDay: Int?
    /// The number of objects in a page.
    let pageSize: Int
    /// Whether pictures are downloaded.
    let hasMedia: Bool
    let withdrawn: SourceOptions.WithdrawnPictures
    /// Whether every object number has a space.
    let hasSpaces: Bool
    /// The seed of what the museum's faults choose.
    let faultSeed: UInt64

    init(_ museum: ImitatedMuseum.Name, _ random: inout SplitMix) {
        self.museum = museum
        rate = random.one(of: 20, 20, 5, 1)
        // A sync of the Art Institute reads the lists of four kinds, before it requests objects.
        let least = museum == .met ? 12 : 40
        perDay = random.chance(50) ? least + random.below(30) : nil
        pageSize = 4 + random.below(5)
        hasMedia = random.chance(60)
        withdrawn = random.chance(50) ? .keep : .remove
        hasSpaces = museum == .smk && random.chance(30)
        faultSeed = random.next()
    }

    var line: String {
        "\(museum.rawValue), \(rate)/s, \(perDay.map { "\($0) a day" } ?? "any number a day"), pages of \(pageSize), \(hasMedia ? "with" : "without") files, withdrawn pictures: \(withdrawn.rawValue)"
    }

    /// The description of the museum, with this rate and these pages.
    ///
    /// - Throws: `SourceDescriptionError` if the museum has no built-in description.
    func description() throws -> String {
        let text =
            museum == .lighthouse
            ? Self.lighthouse : try SourceFolder(nil).text(named: museum.rawValue)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let key = line.drop { $0 == " " }, indent = line.prefix { $0 == " " }
            if key.hasPrefix("size: ") { return "\(indent)size: \(pageSize)" }
            guard line.hasPrefix("rate: ") else { return String(line) }
            return "rate: { requests: \(rate)/s\(perDay.map { ", per_day: \($0)" } ?? ""), parallel: 1 }"
        }.joined(separator: "\n")
    }

    /// A description of the museum that doesn't exist. Its list has objects without versions, and no list of ids alone.
    static let lighthouse = """
        source: lighthouse
        title: The Lighthouse
        base: https://api.lighthouse.example/open
        licence: CC0-1.0
        hosts: [media.lighthouse.example]
        rate: { requests: 1/s }

        artworks:
          list:
            form: offset
            get: "/works?start={offset}&count={size}"
            size: 50
            rows: |
              SELECT value ->> 'ref' AS id, value AS object FROM json_each(:body, '$.works')
            total: SELECT :body ->> 'count_all'
          object:
            get: /works/{id}
            root: $.work
            is: SELECT :body ->> 'ref'
            row: |
              SELECT :body ->> 'name' AS title, :body ->> 'made' AS date, :body ->> 'stuff' AS medium,
                     :body ->> 'room' AS location
            artists: |
              SELECT value ->> 'ref' AS id, value ->> 'who' AS name, value ->> 'did' AS role
              FROM json_each(:body, '$.hands')
            images: |
              SELECT value ->> 'file' AS url FROM json_each(:body, '$.pictures')
              WHERE value ->> 'licence' = 'free to use (CC0)'
          gone: { by: absence, lists: 3, apart: 2d }
        """
}
