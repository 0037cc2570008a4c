import ChildProcesses
import Foundation
import MirrorDemo
import MirrorTesting
import Testing

@testable import MirrorCLI

/// Imports a catalogue with terminal escapes, markup and SQL in every text except ids, and checks the output of the commands.
@Suite(
    "Hostile fields",
    .enabled(if: BuiltProgram.isBuilt, "The binary is not built beside the tests."))
struct HostileFieldTests {
    private static let tail =
        "\u{1B}[31m\u{1B}]0;x\u{7}\u{9B}2J\u{202E}\r\n\t\u{8}\u{7F}<script>'; DROP TABLE artwork;--"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Appends the tail to every text except ids.
    private static func hostile(_ value: Any, _ tail: String, key: String = "") -> Any {
        let isID = key == "id" || key.hasSuffix("_id") || key.hasSuffix("_ids")
        switch value {
        case let text as String: return isID ? text : text + tail
        case let list as [Any]: return list.map { hostile($0, tail, key: key) }
        case let object as [String: Any]:
            return Dictionary(
                uniqueKeysWithValues: object.map { ($0, hostile($1, tail, key: $0)) })
        default: return value
        }
    }

    private func write(_ name: String, tail: String) throws -> String {
        let place = folder.file(name)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for (file, text) in DemoCatalogue.files {
            let lines = try text.split(separator: "\n").map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                return String(
                    decoding: try JSONSerialization.data(withJSONObject: Self.hostile(object, tail)),
                    as: UTF8.self)
            }
            try Data((lines.joined(separator: "\n") + "\n").utf8)
                .write(to: URL(fileURLWithPath: "\(place)/\(file)"))
        }
        return place
    }

    /// - Returns: The exit code, and the text on standard output and standard error.
    private func run(_ arguments: [String]) async throws -> (status: Int32, text: String) {
        let output = try ChildPipe(), errors = try ChildPipe()
        let process = try ChildProcess(
            BuiltProgram.path, arguments + ["--home", folder.file("home")],
            environment: BuiltProgram.environment, output: .pipe(output),
            errors: .pipe(errors))
        let printed = try output.reading.readToEnd() ?? Data()
        let logged = try errors.reading.readToEnd() ?? Data()
        return (await process.ending.status, String(decoding: printed + logged, as: UTF8.self))
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case ..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    @Test func noCommandPrintsControlCharactersFromACatalogue() async throws {
        for (name, tail) in [("first", Self.tail), ("second", Self.tail + "2")] {
            #expect(try await run(["import", write(name, tail: tail), "--as", "demo"]).status == 0)
        }
        var commands = [
            ["status"], ["log"], ["log", "--runs"], ["diff", "1", "2"], ["search", "script"],
            ["verify", "demo"],
        ]
        for kind in ["artwork", "artist", "show", "album", "location", "document"] {
            commands.append(["list", "\(kind)s"])
            let listed = try await run(["list", "\(kind)s", "--json"]).text.split(separator: "\n").first
            let object = try JSONSerialization.jsonObject(with: Data((listed ?? "").utf8)) as? [String: Any]
            if let id = object?["id"] as? String { commands.append(["show", kind, id]) }
        }
        #expect(commands.count == 18)
        for command in commands {
            let (status, text) = try await run(command)
            #expect(status == 0 && !text.isEmpty, "\(command): \(text)")
            #expect(!text.unicodeScalars.contains(where: Self.isHarmful), "\(command)")
        }
    }
}
