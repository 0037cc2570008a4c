import Foundation
import MirrorSimulation

/// What `mirror-bench compare` was asked for.
struct CompareOptions {
    static let tools = ["curl", "wget2", "rclone", "dlt", "nginx"]

    var sizes = [1_000, 10_000]
    /// A catalogue to import instead of making one.
    var catalogue: String?
    var tools = Self.tools
    var json: String?
    var svg: String?
    /// The built command; beside this one unless said otherwise.
    var mirror = BuiltMirror.beside
    /// How often each is measured; by default three times, once above 10,000 artworks.
    var runs: Int?

    struct Problem: Error { let sentence: String }

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Problem(sentence: "\(name) takes a value.") }
            switch name {
            case "--sizes": sizes = try Self.sizes(value)
            case "--catalogue": catalogue = value
            case "--tools": tools = try Self.tools(value)
            case "--json": json = value
            case "--svg": svg = value
            case "--mirror": mirror = value
            case "--runs":
                guard let number = Int(value), number > 0 else {
                    throw Problem(sentence: "--runs takes a number from 1 on.")
                }
                runs = number
            default:
                throw Problem(
                    sentence:
                        "There is no option \(name); there are --sizes, --catalogue, --tools, --runs, --json, --svg, --mirror."
                )
            }
        }
        try check()
    }

    private mutating func check() throws {
        do {
            mirror = try BuiltMirror(path: mirror, hint: ", or name it with --mirror").path
        } catch let missing as BuiltMirror.Missing {
            throw Problem(sentence: missing.description)
        }
        if let catalogue, !FileManager.default.fileExists(atPath: "\(catalogue)/artworks.jsonl") {
            throw Problem(
                sentence: "There is no artworks.jsonl in \(catalogue). Name the folder of a catalogue.")
        }
    }

    func runs(at artworks: Int) -> Int { runs ?? (artworks > 10_000 ? 1 : 3) }

    private static func sizes(_ value: String) throws -> [Int] {
        let sizes = value.split(separator: ",").map { Int($0) ?? 0 }
        guard !sizes.isEmpty, sizes.allSatisfy({ (1...10_000_000).contains($0) }) else {
            throw Problem(sentence: "--sizes takes numbers from 1 to 10000000 with commas between them.")
        }
        return sizes
    }

    private static func tools(_ value: String) throws -> [String] {
        if value == "all" { return tools }
        if value == "none" { return [] }
        let names = value.split(separator: ",").map(String.init)
        if let unknown = names.first(where: { !tools.contains($0) }) {
            throw Problem(
                sentence:
                    "No tool is called \(unknown): there are \(tools.joined(separator: ", ")), all and none.")
        }
        return names
    }
}
