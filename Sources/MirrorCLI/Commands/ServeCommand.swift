import ArgumentParser
import Foundation
import MirrorServer
import MirrorStore

struct ServeCommand: AsyncParsableCommand, ResourceIntensiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract:
            "Serve every mirror over the Partner API, so that others can mirror it, and as pages for browsers.",
        discussion: """
            The pages of a mirror are at /NAME; mirror open shows them. For programs, each mirror is served at /NAME/api/v1; a single mirror also at /api/v1. Imported catalogues accept edits of albums; \
            other mirrors are read-only. Stop the server with Ctrl-C.
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port to listen on; 0 chooses a free one.", valueName: "n"))
    var port = 8080

    @Option(
        help: ArgumentHelp(
            "Write the port to this file as soon as the server accepts connections.", valueName: "file"))
    var portFile: String?

    @Option(
        help:
            "The address to listen on. An address that other machines can reach needs --token-file or --users-file."
    )
    var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the access token that clients must send.", valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with one line name:password for each user who may log in, to the pages and to the API, which shows everything.",
            valueName: "file"))
    var usersFile: String?

    @Option(
        help: ArgumentHelp(
            "Don't offer this extension of the API, to measure what it saves; may be repeated.",
            valueName: "extension"))
    var without: [CatalogueServer.Extension] = []

    @Flag(help: "Let pages show prices, notes, private albums and unpublished artworks, too.")
    var staff = false

    @Option(
        help: ArgumentHelp(
            "The address under which browsers reach the server, such as https://museum.example: its host is then permitted in requests.",
            valueName: "url"))
    var publicUrl: String?

    @OptionGroup var home: HomeOptions

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be a number from 0 to 65535.")
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
                "mirror: \(home.path.printable) contains no mirrors yet. Mirrors that are made later are served too."
            )
        }
        var configuration = CatalogueServer.Configuration(
            host: host, port: port, token: try tokenFile.map(TokenSource.file),
            users: try usersFile.map(ServedUser.read(file:)) ?? [],
            extensions: CatalogueServer.Extension.allCases.filter { !without.contains($0) },
            onProblem: { screen.line("mirror: \(ErrorMessage.of($0))") })
        configuration.isStaff = staff
        configuration.publicURL = publicUrl
        let server = CatalogueServer(home: home, configuration: configuration)
        // `mirror open` uses a server that needs no login.
        let isOpen = tokenFile == nil && usersFile == nil, isStaff = staff
        try await Interruption.cancelling {
            try await server.whileRunning { port in
                let address = RunningServer.Address(host: host, port: port, isStaff: isStaff)
                let announced = isOpen ? RunningServer(address, in: home) : nil
                defer { announced?.end() }
                try Self.announce(names, host: host, port: port, file: portFile)
                // Runs until a signal cancels the task.
                while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
            }
        }
    }

    private static func announce(_ names: [String], host: String, port: Int, file: String?) throws {
        if let file {
            do {
                // Atomically, so that a reader never finds an incomplete file.
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

    /// A line for the API of each mirror, as programs read them, then one for the pages: of the only mirror, or the list of all.
    static func lines(_ names: [String], host: String, port: Int) -> [String] {
        let place = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        guard !names.isEmpty else { return ["Listening at \(place)"] }
        return names.map { "Serving \($0) at \(place)/\($0)/api/v1" }
            + ["Pages at \(place)/\(names.count == 1 ? names[0] : "")"]
    }
}

extension CatalogueServer.Extension: ExpressibleByArgument {}
