import ArgumentParser
import Catalogue
import Foundation
import MirrorServer
import MirrorStore

struct OpenCommand: AsyncParsableCommand, ResourceIntensiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Show a mirror in the browser.",
        discussion: """
            Serves all mirrors on a free port of this machine, for this machine only, and opens the pages of one: of the only \
            mirror, if none is named. A path leads to a page: mirror open demo /artist/katsushika-hokusai. If mirror serve or mirror open \
            runs already for this home folder, its server is used. Otherwise stop the server with Ctrl-C.
            """)

    @Argument(help: ArgumentHelp("The mirror's name. Default: the only mirror.", valueName: "partner"))
    var partner: String?

    @Argument(
        help: ArgumentHelp(
            "The path of a page, such as /artworks. Default: the first page.", valueName: "path"))
    var path: String?

    @Flag(help: "Show prices, notes, private albums and unpublished artworks, too.")
    var staff = false

    @OptionGroup var home: HomeOptions

    func validate() throws {
        guard [partner, path].compactMap(\.self).allSatisfy({ !PagePath.isAddress($0) }) else {
            throw ValidationError(
                "mirror open takes the path of a page, such as /artworks, and no complete address. Leave out the part before the path."
            )
        }
    }

    func run() async throws {
        let home = self.home.mirrorHome, staff = self.staff
        let page = try Self.page(partner, path, in: home)
        if let running = RunningServer.find(in: home), running.isStaff == staff {
            return try await Self.show(running.url + page, isRunning: true)
        }
        OpenFileLimit.raise()
        let screen = Screen.standardError()
        var configuration = CatalogueServer.Configuration(
            onProblem: { screen.line("mirror: \(ErrorMessage.of($0))") })
        configuration.isStaff = staff
        let server = CatalogueServer(home: home, configuration: configuration)
        try await Interruption.cancelling {
            try await server.whileRunning { port in
                let address = RunningServer.Address(port: port, isStaff: staff)
                let announced = RunningServer(address, in: home)
                defer { announced?.end() }
                try await Self.show(address.url + page, isRunning: false)
                // Runs until a signal cancels the task.
                while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
            }
        }
    }

    /// The path of the page to open.
    ///
    /// The first argument is a path if it begins with a slash: then the mirror is the only one.
    static func page(_ partner: String?, _ path: String?, in home: MirrorHome) throws -> String {
        let isPath = path == nil && partner?.hasPrefix("/") == true
        let name = try MirrorHome.name(isPath ? nil : partner, of: home.names(), in: home.path)
        let folder = try home.mirror(name)
        guard folder.exists else {
            throw CommandError(
                .noMirror,
                "There is no mirror called \(name.printable) in \(home.path.printable). Make one with: mirror sync \(name.printable)"
            )
        }
        return PagePath.encoded((isPath ? partner : path) ?? "", of: name)
    }

    private static func show(_ address: String, isRunning: Bool) async throws {
        let output = LineOutput.standard()
        output.line(isRunning ? "A server is running already: \(address)" : "Showing \(address)")
        let isOpened = await Browser(environment: ProcessInfo.processInfo.environment).open(address)
        if !isOpened { output.line("No browser could be started. Open this address in one.") }
        if !isRunning { output.line("Stop with Ctrl-C.") }
        try output.finish()
    }
}
