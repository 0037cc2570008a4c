import CatalogueSources
import Foundation
import Testing

/// Each test has a folder of its own.
@Suite final class SourceFolderTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "sources-\(UUID().uuidString)")
    private let builtIn = [
        BuiltInSource(name: "tiny", text: TinyDescription.text),
        BuiltInSource(name: "wide", text: TinyDescription.replacing("source: tiny", with: "source: wide")),
    ]
    private var sources: SourceFolder { SourceFolder(folder, builtIn: builtIn) }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    private func error(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test func everyBuiltInDescriptionIsReadAndCalledAsItsFile() throws {
        let sources = SourceFolder(nil)
        #expect(try sources.names().contains("met"))
        for entry in try sources.entries() {
            #expect(try entry.description.get().id == entry.name)
            #expect(entry.path == nil)
            #expect(try sources.text(named: entry.name).contains("source: \(entry.name)\n"))
        }
    }

    @Test func filesStandBesideTheBuiltInDescriptionsInAlphabeticalOrder() throws {
        for name in ["zoo", "art"] {
            try write(TinyDescription.replacing("source: tiny", with: "source: \(name)"), to: "\(name).yaml")
        }
        try write("not a description", to: "notes.txt")
        try write("half written", to: ".art.yaml")
        #expect(try sources.names() == ["art", "tiny", "wide", "zoo"])
        let entries = try sources.entries()
        #expect(entries.map(\.name) == ["art", "tiny", "wide", "zoo"])
        #expect(entries.map { $0.path != nil } == [true, false, false, true])
        #expect(try entries.map { try $0.description.get().id } == ["art", "tiny", "wide", "zoo"])
    }

    @Test func aFileReplacesTheBuiltInDescriptionOfItsName() throws {
        let text = TinyDescription.replacing("A Tiny Museum", with: "A Larger Museum")
        try write(text, to: "tiny.yaml")
        #expect(try sources.description(named: "tiny").title == "A Larger Museum")
        #expect(try sources.text(named: "tiny") == text)
        #expect(try sources.names() == ["tiny", "wide"])
        #expect(try sources.path(named: "tiny") == folder.appendingPathComponent("tiny.yaml").path)
        #expect(try sources.path(named: "wide") == nil)
        try write("broken: [a\n", to: "tiny.yaml")
        #expect(
            error { _ = try sources.description(named: "tiny") }.contains(
                "tiny.yaml:2:1: This is not valid YAML: a list in brackets"))
        #expect(try sources.text(named: "tiny") == "broken: [a\n")
    }

    @Test func aFolderThatDoesntExistHasNoFiles() throws {
        let sources = SourceFolder(folder.appendingPathComponent("none"), builtIn: builtIn)
        #expect(try sources.names() == ["tiny", "wide"])
        #expect(try sources.description(named: "wide").id == "wide")
    }

    @Test func aFileInPlaceOfTheFolderIsAnError() throws {
        try write("", to: "sources")
        let sources = SourceFolder(folder.appendingPathComponent("sources"), builtIn: builtIn)
        #expect(error { _ = try sources.names() }.contains("The folder of sources can't be read."))
    }

    @Test func aSourceMustBeCalledAsItsFile() throws {
        try write(TinyDescription.text, to: "other.yaml")
        #expect(
            error { _ = try sources.description(named: "other") }.hasSuffix(
                "other.yaml:1:9: The source is called \"tiny\", but the file is called other.yaml. Give both the same name."
            ))
    }

    @Test(arguments: [
        ("tinny", "Did you mean \"tiny\"?"), ("Wide", "Did you mean \"wide\"?"),
        ("louvre", "The sources are tiny and wide;"),
        ("../tiny", "The sources are tiny and wide;"), ("", "The sources are tiny and wide;"),
        ("tiny.yaml", "The sources are"),
    ]) func anUnknownNameIsAnErrorWithTheNearestOne(_ name: String, _ hint: String) throws {
        let message = error { _ = try sources.description(named: name) }
        #expect(message.hasPrefix("\(name): There is no source of this name. \(hint)"), "\(message)")
        #expect(error { _ = try sources.text(named: name) } == message)
    }

    @Test func whatIsNoRegularFileIsAnErrorAndTheOthersAreListed() throws {
        let outside = folder.appendingPathComponent("outside")
        try Data(TinyDescription.replacing("source: tiny", with: "source: link").utf8).write(to: outside)
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: folder.appendingPathComponent("link.yaml"), withDestinationURL: outside)
        try manager.createSymbolicLink(
            at: folder.appendingPathComponent("lost.yaml"),
            withDestinationURL: folder.appendingPathComponent("nothing"))
        try manager.createDirectory(
            at: folder.appendingPathComponent("folder.yaml"), withIntermediateDirectories: false)
        try #require(mkfifo(folder.appendingPathComponent("pipe.yaml").path, 0o600) == 0)
        try write(String(repeating: "#", count: (1 << 20) + 1), to: "large.yaml")
        try Data([0x73, 0xFF, 0xFE]).write(to: folder.appendingPathComponent("binary.yaml"))
        var messages: [String: String] = [:]
        for entry in try sources.entries() {
            if case .failure(let error) = entry.description { messages[entry.name] = error.message }
        }
        #expect(Set(messages.keys) == ["link", "lost", "folder", "pipe", "large", "binary"])
        for name in ["link", "lost"] {
            #expect(messages[name]?.hasPrefix("The file is a symbolic link.") == true)
        }
        #expect(
            messages["folder"]
                == "This is a folder, so it can't be a description. Move it out of the folder of sources.")
        #expect(messages["pipe"]?.hasPrefix("This is not a regular file") == true)
        #expect(messages["large"]?.hasPrefix("The file is larger than 1 MiB") == true)
        #expect(messages["binary"] == "The file is not UTF-8 text. Save it as UTF-8.")
        #expect(try sources.names().count == 8)
    }

    @Test func aFileElsewhereIsReadByItsPath() throws {
        try write(TinyDescription.text, to: "Any Name.txt")
        let path = folder.appendingPathComponent("Any Name.txt").path
        #expect(try SourceFolder.description(at: path).id == "tiny")
        let link = folder.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(fileURLWithPath: path))
        #expect(try SourceFolder.description(at: link.path).id == "tiny")
        #expect(
            error { _ = try SourceFolder.description(at: folder.path) }
                == "\(folder.path): This is a folder, so it can't be a description. Give the path of a file.")
        #expect(
            error { _ = try SourceFolder.description(at: "/dev/null") }
                == "/dev/null: This is not a regular file, so it can't be a description. Give the path of a file."
        )
        let missing = folder.appendingPathComponent("missing.yaml").path
        #expect(
            error { _ = try SourceFolder.description(at: missing) }
                == "\(missing): There is no such file. Check the path.")
    }
}
