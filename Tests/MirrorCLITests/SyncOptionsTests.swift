import Foundation
import MirrorStore
import MirrorSync
import MirrorTesting
import Testing

@testable import MirrorCLI

@Suite("The options of a run by the arguments of its command") struct SyncOptionsTests {
    private typealias Row = (arguments: [String], isSet: (SyncOptions) -> Bool)

    private let home: TemporaryHome
    private let authorities: String

    init() throws {
        home = try TemporaryHome()
        authorities = "\(home.path)/museum.pem"
        try "-----BEGIN CERTIFICATE-----\nMII\n".write(
            toFile: authorities, atomically: true, encoding: .utf8)
    }

    private func sync(_ arguments: [String]) throws -> SyncOptions {
        try SyncCommand.parse(["x", "--home", home.path] + arguments).options()
    }

    private func watch(_ arguments: [String]) throws -> SyncOptions {
        try WatchCommand.parse(["x", "--home", home.path] + arguments).options()
    }

    /// The options that both commands have.
    private var shared: [Row] {
        let authorities = authorities
        return [
            (["--no-media"], { !$0.media }),
            (["--formats", "square,larger"], { $0.formats == ["square", "larger"] }),
            (["--jobs", "4"], { $0.jobs == 4 }),
            (["--max-delete", "150"], { $0.maxDelete == .total(150) }),
            (["--max-objects", "10"], { $0.maxObjects == 10 }),
            (["--max-wait", "90s"], { $0.maxWait == .seconds(90) }),
            (["--fail-fast"], { $0.failFast }),
            (["--audit-every", "1d"], { $0.auditEvery == .seconds(86_400) }),
            (["--keep-shows", "1y"], { $0.keepShows == .seconds(365 * 86_400) }),
            (["--ca-file", authorities], { $0.caFile == authorities }),
            (["--enable", "tiles"], { $0.tiles }),
        ]
    }

    /// The options that only `sync` has.
    private var ofSync: [Row] {
        [
            (["--full"], { $0.full }),
            (["--revalidate-media"], { $0.revalidateMedia }),
            (["--only", "artwork,shows", "--only", "album"], { $0.only == [.artwork, .show, .album] }),
        ]
    }

    @Test func everyOptionOfSyncChangesTheOptionsOfTheRun() throws {
        let usual = try sync([])
        for row in shared + ofSync {
            #expect(!row.isSet(usual), "\(row.arguments)")
            #expect(row.isSet(try sync(row.arguments)), "\(row.arguments)")
        }
    }

    @Test func everyOptionOfWatchChangesTheOptionsOfTheRun() throws {
        let usual = try watch([])
        for row in shared {
            #expect(!row.isSet(usual), "\(row.arguments)")
            #expect(row.isSet(try watch(row.arguments)), "\(row.arguments)")
        }
    }

    @Test func aPermanentlyEnabledFeatureIsUsedBySyncAndWatch() throws {
        try OptionsFile(home.home).change(enabling: ["tiles"], disabling: [])
        #expect(try sync([]).tiles && watch([]).tiles)
    }

    @Test func theTableOfThisSuiteHasEveryOptionOfARun() throws {
        // These have no option of the command. They are for tests, measurements and repairs. The source is resolved for the mirror.
        let others: Set = [
            "auditsByDigest", "synchronous", "maximumLinesWithIndexes", "repairsTiles", "source",
            "usesRecentLists",
        ]
        let usual = Mirror(reflecting: try sync([])).children
        let all = Mirror(reflecting: try sync((shared + ofSync).flatMap(\.arguments))).children
        for (before, after) in zip(usual, all) {
            let name = before.label ?? ""
            let isSame = "\(before.value)" == "\(after.value)"
            #expect(isSame == others.contains(name), "\(name)")
        }
    }
}
