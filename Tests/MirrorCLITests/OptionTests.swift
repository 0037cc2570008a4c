import ArgumentParser
import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorCLI

@Suite struct OptionTests {
    @Test func theOptionsOfSyncHaveTheirDefaults() throws {
        let command = try SyncCommand.parse(["cmoa", "--home", "/h"])
        let options = try command.options()
        #expect(options.jobs == nil && options.media && !options.full && options.formats == nil)
        #expect(options.maxDelete == .percent(20) && options.maxObjects == 5_000_000)
        #expect(command.progress == .auto && !command.newOrigin && command.from == nil)
    }

    @Test func theOptionsOfSyncAreParsed() throws {
        let command = try SyncCommand.parse([
            "cmoa", "--from", "https://x.org", "--new-origin", "--full", "--no-media", "--formats",
            "square, larger",
            "--revalidate-media", "--jobs", "4", "--max-delete", "150", "--max-objects", "10", "--progress",
            "tree",
            "-q", "--on-change", "make", "--json", "--token-file", "t", "--home", "/h",
        ])
        let options = try command.options()
        #expect(options.full && !options.media && options.revalidateMedia && options.jobs == 4)
        #expect(options.formats == ["square", "larger"] && options.maxDelete == .total(150))
        #expect(options.maxObjects == 10 && command.progress == .tree && command.quiet && command.newOrigin)
        #expect(command.onChange == "make" && command.output.json && command.secrets.tokenFile == "t")
        #expect(command.home.mirrorHome.path == "/h")
    }

    @Test(arguments: ["not a url", "ftp://x.org/", "example.org", "", "https://x.org/{id}"])
    func anAddressOfAServerMustBeAWebAddress(
        from: String
    ) {
        for command in ["sync", "watch"] {
            #expect {
                _ = try MirrorCommand.parseAsRoot([command, "x", "--from", from])
            } throws: {
                MirrorCommand.exitCode(for: $0).rawValue == ExitStatus.usage.rawValue
            }
        }
    }

    @Test(arguments: ["sync", "watch", "login"])
    func anAddressWithAPasswordIsRefusedWithoutRepeatingThePassword(
        command: String
    ) {
        for address in ["https://me:sesame@museum.example", "me:sesame@museum.example"] {
            #expect {
                _ = try MirrorCommand.parseAsRoot([command, "tate", "--from", address])
            } throws: { error in
                let text = MirrorCommand.fullMessage(for: error)
                return text.contains("mirror login tate") && !text.contains("sesame")
                    && MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
            }
        }
    }

    @Test func aCertificateFileIsRememberedByItsAbsolutePath() throws {
        let folder = try TemporaryFolder(), file = folder.file("museum.pem")
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data("museum\n-----BEGIN CERTIFICATE-----\nMII\n".utf8)))
        let path = "\(folder.path)/./museum.pem"
        #expect(try SyncCommand.parse(["x", "--ca-file", path]).certificates.path == file)
        #expect(try WatchCommand.parse(["x", "--ca-file", path]).certificates.path == file)
        #expect(try VerifyCommand.parse(["x", "--ca-file", path]).certificates.path == file)
        let relative = try #require(
            SyncCommand.parse(["x", "--ca-file", Self.relative(file)]).certificates.path)
        #expect(relative == file)
    }

    /// The path relative to the current folder.
    private static func relative(_ path: String) -> String {
        let steps = FileManager.default.currentDirectoryPath.split(separator: "/").count
        return String(repeating: "../", count: steps) + path.dropFirst()
    }

    @Test func aCertificateFileWithoutACertificateIsWrongUsage() throws {
        let folder = try TemporaryFolder(), file = folder.file("empty.pem")
        #expect(FileManager.default.createFile(atPath: file, contents: Data("-----BEGIN KEY-----".utf8)))
        for (path, word) in [(file, "has no certificate"), (folder.file("none"), "doesn't exist")] {
            for command in ["sync", "watch", "verify"] {
                #expect {
                    _ = try MirrorCommand.parseAsRoot([command, "x", "--ca-file", path])
                } throws: { error in
                    MirrorCommand.message(for: error).contains(word)
                        && MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
                }
            }
        }
        #expect(throws: (any Error).self) {
            try WatchCommand.parse(["x", "y", "--ca-file", file])
        }
    }

    @Test(arguments: ["tree", "man", "options"]) func everyCommandAcceptsAHomeFolder(command: String)
        throws
    {
        _ = try MirrorCommand.parseAsRoot([command, "--home", "/h"])
    }

    @Test(arguments: ["nonsense", "larger,nonsense", "", "square,,medium", "LARGER", "a/b"])
    func anUnknownPictureFormatIsRefusedWithTheListOfFormats(formats: String) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(["sync", "x", "--formats", formats])
        } throws: { error in
            MirrorCommand.message(for: error).contains("square, medium, larger and normalized")
                && MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
        }
    }

    @Test(arguments: [
        ["sync"], ["sync", "../x"], ["sync", "x", "--jobs", "0"], ["sync", "x", "--max-delete", "lots"],
        ["sync", "x", "--formats", "a/b"], ["sync", "x", "--token", "secret"],
        ["sync", "x", "--max-objects", "0"],
        ["sync", "x", "--token-file", "a", "--token-command", "b"], ["sync", "x", "--exit-code"],
        ["sync", "x", "--dry-run", "--on-change", "true"], ["list"],
        ["list", "paintings"], ["list", "artwork", "--limit", "0"], ["show", "artwork"],
        ["show", "painting", "x"],
        ["show", "a", "b", "c"], ["search"], ["search", ""], ["search", "?!"],
        ["export", "x", "--format", "xml", "--to", "d"],
        ["serve", "--port", "70000"],
        ["login", "x", "--name", "n", "--token-file", "t"], ["nonsense"], ["watch", "x", "x"],
    ])
    func wrongUsageOfAnyCommandEndsWithCode64(arguments: [String]) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(arguments)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
        }
    }

    @Test(arguments: [
        ["sync", "options.json"], ["watch", "Options.json"], ["import", "d", "--as", "options.json"],
    ])
    func aMirrorCannotHaveTheNameOfTheOptionsFile(arguments: [String]) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(arguments)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
                && MirrorCommand.message(for: error).contains("Choose another name.")
        }
    }

    @Test(arguments: [
        ("artwork", Kind.artwork), ("Artworks", .artwork), ("albums", .album), ("user", .user),
    ])
    func kindsCanBeNamedInThePlural(word: String, kind: Kind) {
        #expect(KindArgument(argument: word)?.kind == kind)
    }

    @Test(arguments: ["", "s", "artworkss", "paintings", "artworkx"])
    func otherWordsAreNotParsedAsAKind(word: String) {
        #expect(KindArgument(argument: word) == nil)
    }

    @Test func secretsAreNeverArguments() {
        let help =
            MirrorCommand.helpMessage(for: SyncCommand.self)
            + MirrorCommand.helpMessage(for: LoginCommand.self)
        #expect(!help.contains("--password") && !help.contains("--token <"))
    }

    @Test func everyCommandHasAnAbstract() {
        for command in MirrorCommand.configuration.subcommands {
            #expect(!command.configuration.abstract.isEmpty, "\(command)")
        }
    }

    @Test func aMirrorIsChosenOnlyIfThereIsExactlyOneOrItIsNamed() throws {
        #expect(try MirrorHome.name("a", of: ["b"], in: "/h") == "a")
        #expect(try MirrorHome.name(nil, of: ["b"], in: "/h") == "b")
        #expect { _ = try MirrorHome.name(nil, of: [], in: "/h") } throws: {
            ($0 as? CommandError)?.code == .noMirror
        }
        #expect { _ = try MirrorHome.name(nil, of: ["a", "b"], in: "/h") } throws: {
            ($0 as? CommandError)?.code == .severalMirrors && "\($0)".contains("a and b")
        }
    }

    @Test func serveListsTheAddressOfEachMirror() {
        #expect(
            ServeCommand.lines(["a", "b"], host: "::1", port: 80) == [
                "Serving a at http://[::1]:80/a/api/v1", "Serving b at http://[::1]:80/b/api/v1",
                "Pages at http://[::1]:80/",
            ])
        #expect(
            ServeCommand.lines(["demo"], host: "127.0.0.1", port: 8_080) == [
                "Serving demo at http://127.0.0.1:8080/demo/api/v1", "Pages at http://127.0.0.1:8080/demo",
            ])
        #expect(ServeCommand.lines([], host: "127.0.0.1", port: 80) == ["Listening at http://127.0.0.1:80"])
    }

    @Test func serveLeavesOutExtensionsByName() throws {
        let command = try ServeCommand.parse(["--without", "since", "--without", "snapshot"])
        #expect(command.without == [.since, .snapshot])
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--without", "sinse"]) }
    }
}
