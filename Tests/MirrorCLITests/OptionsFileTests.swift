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

    @Test func namesAreAddedAndRemovedAndOthersStay() throws {
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
    func aBrokenFileIsNamedAndStaysAsItIs(broken: String) throws {
        try broken.write(toFile: file.path, atomically: true, encoding: .utf8)
        let error = #expect(throws: CommandError.self) {
            try file.change(enabling: ["tiles"], disabling: [])
        }
        #expect(error?.code == .options && error?.message.hasPrefix(file.path) == true)
        #expect(error.map { ExitStatus(error: $0) } == .failed)
        #expect(text == broken)
    }

    @Test func whatTheFileNamesIsOnForEveryCommandAndUnknownNamesAreHints() throws {
        try file.change(enabling: ["tiles", "later"], disabling: [])
        let options = try HomeOptions.parse(["--home", home.path])
        #expect(try options.features().contains("tiles"))
        let lasting = FeatureTable.current.lasting(["tiles", "later"])
        #expect(lasting.enabled == ["tiles"] && lasting.notices.count == 1)
        #expect(lasting.notices[0].hasPrefix("options.json names later"))
    }

    @Test func aRetiredNameIsAHint() {
        let table = FeatureTable(live: [], retired: ["curl": "it is what is used now."])
        #expect(table.lasting(["curl"]).enabled.isEmpty)
        #expect(table.lasting(["curl"]).notices.first?.hasPrefix("curl is no longer needed") == true)
    }

    @Test func theCommandStoresWhatItSwitches() async throws {
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

    @Test func theTreeShowsTilesOnlyWhereTheyAreSwitchedOn() {
        #expect(!TreeCommand.text(.dot).contains("image tiles"))
        #expect(TreeCommand.text(.dot, tiles: true).contains(#""image" -> "image tiles""#))
    }
}
