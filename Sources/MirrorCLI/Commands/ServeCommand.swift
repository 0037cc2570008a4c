import ArgumentParser
import Foundation
import MirrorServer
import MirrorStore

struct ServeCommand: AsyncParsableCommand, HeavyWork {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Offer every mirror over the Partner API, so that it can be mirrored in turn.",
        discussion: """
            A mirror is at /NAME/api/v1, and also at /api/v1 where there is only one. Imported catalogues accept edits of \
            albums; mirrors are read-only. Stop it with Ctrl-C.
            """)

    @Option(help: ArgumentHelp("The port; 0 takes a free one.", valueName: "n"))
    var port = 8080

    @Option(
        help: ArgumentHelp(
            "Write the port into this file as soon as connections are taken.", valueName: "file"))
    var portFile: String?

    @Option(help: "The address to listen on; others than this machine need a token or users.")
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the access token that clients must show.", valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with a line name:password for each user who may log in.", valueName: "file"))
    var usersFile: String?

    @Option(
        help: ArgumentHelp(
            "Don't announce this extension of the API; may be repeated. For measuring what it saves.",
            valueName: "extension"))
    var without: [CatalogueServer.Extension] = []

    @OptionGroup var home: HomeOptions

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port is a number from 0 to 65535.")
        }
    }

    func run() async throws {
        let home = self.home.mirrorHome, host = self.host, portFile = self.portFile
        let screen = Screen.standardError()
        // The server accepts as many connections as it may open files.
        OpenFileLimit.raise()
        let names = try home.names()
        if names.isEmpty {
            screen.line(
                "mirror: there is no mirror in \(home.path.printable) yet; those that come are served.")
        }
        let configuration = CatalogueServer.Configuration(
            host: host, port: port, token: try tokenFile.map(TokenSource.file),
            users: try usersFile.map(ServedUser.read(file:)) ?? [],
            extensions: CatalogueServer.Extension.allCases.filter { !without.contains($0) },
            onProblem: { screen.line("mirror: \(ErrorMessage.of($0))") })
        let server = CatalogueServer(home: home, configuration: configuration)
        try await Interruption.cancelling {
            try await server.whileRunning { port in
                try Self.announce(names, host: host, port: port, file: portFile)
                // Until a signal cancels it.
                while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
            }
        }
    }

    private static func announce(_ names: [String], host: String, port: Int, file: String?) throws {
        if let file {
            do {
                // At once, so that a reader never finds it incomplete.
                try Data("\(port)\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            } catch {
                throw CommandError(
                    .output,
                    "\(file) can't be written. Check its permissions, or choose another --port-file.")
            }
        }
        let output = LineOutput.standard()
        for line in lines(names, host: host, port: port) { output.line(line) }
        try output.finish()
    }

    static func lines(_ names: [String], host: String, port: Int) -> [String] {
        let place = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        return names.map { "Serving \($0) at \(place)/\($0)/api/v1" }
            + (names.isEmpty ? ["Listening at \(place)"] : [])
    }
}

extension CatalogueServer.Extension: ExpressibleByArgument {}
