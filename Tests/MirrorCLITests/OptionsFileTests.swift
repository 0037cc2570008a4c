import ArgumentParser
import Foundation
import MirrorStore
import MirrorSync
import MirrorTesting
import Testing

@testable import MirrorCLI

@Suite struct OptionsFileTests {
    private let home: TemporaryHome
    private let file: OptionsFile

    init() throws {
        home = try TemporaryHome()
        file = OptionsFile(home.home)
    }

    private var text: String? { try? String(contentsOfFile: file.path, encoding: .utf8) }

    @Test func changingTheOptionsFileKeepsOtherNamesAndFields() throws {
        #expect(try file.names().isEmpty)
        try file.change(enabling: ["tiles"], disabling: [])
        #expect(text == "{\"enabled\":[\"tiles\"]}\n")
        try #"{"enabled":["later","tiles"],"more":1}"#
            .write(toFile: file.path, atomically: true, encoding: .utf8)
        try file.change(enabling: [], disabling: ["tiles"])
        #expect(text == "{\"enabled\":[\"later\"],\"more\":1}\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["options.json"])
    }

    @Test(arguments: ["", "{", "[]", #"{"enabled":"tiles"}"#, #"{"enabled":[1]}"#])
    func aBrokenOptionsFileIsReportedAndNotChanged(broken: String) throws {
        try broken.write(toFile: file.path, atomically: true, encoding: .utf8)
        let error = #expect(throws: CommandError.self) {
            try file.change(enabling: ["tiles"], disabling: [])
        }
        #expect(error?.code == .options && error?.message.hasPrefix(file.path) == true)
        #expect(error.map { ExitStatus(error: $0) } == .failed)
        #expect(text == broken)
    }

    @Test func featuresInTheOptionsFileAreOnForEveryCommandAndUnknownOnesGiveANotice() throws {
        try file.change(enabling: ["tiles", "later"], disabling: [])
        let options = try HomeOptions.parse(["--home", home.path])
        #expect(try options.features().contains("tiles"))
        let lasting = FeatureTable.current.lasting(["tiles", "later"])
        #expect(lasting.enabled == ["tiles"] && lasting.notices.count == 1)
        #expect(lasting.notices[0].hasPrefix("options.json switches on later"))
    }

    @Test(arguments: ["", " later", "a,b", "-x", "a\u{1B}b", "a\n", "a;b"])
    func theNoticeForANameThatCannotBeTypedRecommendsAnEditor(name: String) {
        let notice = FeatureTable.current.lasting([name]).notices.first ?? ""
        #expect(notice.hasSuffix("Remove it from the file in an editor."))
        #expect(notice.hasPrefix("options.json switches on \"") && notice == notice.printable)
        let plain = FeatureTable.current.lasting(["later.2"]).notices.first
        #expect(plain?.hasSuffix("mirror options --disable later.2") == true)
    }

    @Test func changingALinkedOptionsFileWritesTheFileThatTheLinkLeadsTo() throws {
        let folder = try TemporaryFolder(), target = folder.file("mine.json")
        try "{}".write(toFile: target, atomically: true, encoding: .utf8)
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: file.path, withDestinationPath: target)
        try file.change(enabling: ["tiles"], disabling: [])
        #expect(try manager.destinationOfSymbolicLink(atPath: file.path) == target)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "{\"enabled\":[\"tiles\"]}\n")
        #expect(try manager.contentsOfDirectory(atPath: folder.path) == ["mine.json"])

        try manager.removeItem(atPath: target)
        let error = #expect(throws: CommandError.self) {
            try file.change(enabling: ["tiles"], disabling: [])
        }
        #expect(error?.message.contains("a link to a file that doesn't exist") == true)
        #expect(!manager.fileExists(atPath: target))
    }

    @Test(arguments: [true, false]) func aFolderOrAPipeAsTheOptionsFileIsRefusedAtOnce(isFolder: Bool) throws
    {
        if isFolder {
            try FileManager.default.createDirectory(
                atPath: file.path, withIntermediateDirectories: false)
        } else {
            #expect(mkfifo(file.path, 0o600) == 0)
        }
        let error = #expect(throws: CommandError.self) { try file.names() }
        #expect(error?.code == .options && error?.message.contains("is not a regular file") == true)
        #expect(throws: CommandError.self) { try file.change(enabling: ["tiles"], disabling: []) }
    }

    @Test func theFileOfAKilledWriteIsRemovedByTheNextWrite() throws {
        let part = "\(home.path)/.options.json.part"
        try "{\"ena".write(toFile: part, atomically: true, encoding: .utf8)
        #expect(try file.names().isEmpty)
        try file.change(enabling: ["tiles"], disabling: [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["options.json"])
        #expect(text == "{\"enabled\":[\"tiles\"]}\n")
    }

    @Test func disablingAFeatureThatIsOffMakesNoFolder() throws {
        let none = OptionsFile(MirrorHome(path: "\(home.path)/none"))
        try none.change(enabling: [], disabling: ["tiles"])
        #expect(!FileManager.default.fileExists(atPath: "\(home.path)/none"))
    }

    @Test func aRetiredFeatureInTheOptionsFileGivesANotice() {
        let table = FeatureTable(live: [], retired: ["curl": "it is what is used now."])
        #expect(table.lasting(["curl"]).enabled.isEmpty)
        #expect(table.lasting(["curl"]).notices.first?.hasPrefix("curl is no longer needed") == true)
    }

    @Test func theOptionsCommandStoresEnabledAndDisabledFeatures() async throws {
        let on = try OptionsCommand.parse(["--home", home.path, "--enable", "tiles", "--json"])
        try await on.run()
        #expect(try file.names() == ["tiles"])
        let off = try OptionsCommand.parse(["--home", home.path, "--disable", "tiles", "--json"])
        try await off.run()
        #expect(try file.names().isEmpty)
        #expect(throws: (any Error).self) {
            try OptionsCommand.parse(["--enable", "tiles", "--disable", "tiles"])
        }
    }

    @Test func theTreeHasTheTilesNodeOnlyIfTilesAreEnabled() {
        #expect(!TreeCommand.text(.dot).contains("image tiles"))
        #expect(TreeCommand.text(.dot, tiles: true).contains(#""image" -> "image tiles""#))
    }
}
