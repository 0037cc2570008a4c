import ArgumentParser
import MirrorHTTP
import MirrorStore
import MirrorSync

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Store an access token, or a name and password, for a partner's server.",
        discussion: """
            The command asks for the secret on the terminal, or reads it from standard input, --token-file, --token-command \
            or MIRROR_TOKEN. It stores the secret in the mirror's folder, in a file that only you can read. The secret is sent \
            only to that server.
            """)

    @Argument(help: "The mirror's name.")
    var partner: String

    @Option(
        help: ArgumentHelp("The server's URL. Default: the server of the last sync.", valueName: "url"))
    var from: String?

    @Option(
        help: ArgumentHelp("Log in with this user name and a password instead of a token.", valueName: "name")
    )
    var name: String?

    @Flag(help: "Remove the stored secret.")
    var forget = false

    @OptionGroup var secrets: SecretOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        try from.map { try TextCheck.server($0, of: partner) }
        guard name == nil || !secrets.hasOption else {
            throw ValidationError(
                "--name can't be combined with --token-file or --token-command. Leave one out.")
        }
    }

    func run() async throws {
        let output = LineOutput.standard()
        let folder = try home.mirrorHome.mirror(partner)
        let file = CredentialsFile(folder)
        if forget {
            let wasRemoved = try file.remove()
            output.line(
                wasRemoved
                    ? "Removed the secret stored for \(partner)." : "No secret is stored for \(partner).")
            return try output.finish()
        }
        if let source = try folder.rememberedSource() { throw Self.refusal(partner, of: source.name) }
        let base = try origin(folder)
        if !folder.exists { try folder.prepare() }
        try file.store(try await credentials(), for: base)
        output.line(
            "Stored the secret for \(CredentialsFile.host(of: base)?.printable ?? partner) in \(file.path.printable)"
        )
        try output.finish()
    }

    /// The error for a mirror of a source, whose server accepts no login.
    static func refusal(_ partner: String, of source: String) -> CommandError {
        CommandError(
            .secret,
            "\(partner) is a mirror of the source \(source.printable), which uses no login, so nothing was stored. If its server requires a key, set the environment variable that its description names."
        )
    }

    private func credentials() async throws -> Credentials {
        if let name { return .login(name: name, password: try SecretPrompt.ask("Password")) }
        return .token(try await secrets.token() ?? SecretPrompt.ask("Token"))
    }

    private func origin(_ folder: MirrorFolder) throws -> String {
        if let from { return try ServerAddress.base(from: from, of: partner) }
        guard let origin = try folder.rememberedServer().origin else {
            throw CommandError(
                .secret,
                "\(partner) has no known server, so nothing was stored. Give its URL: mirror login \(partner) --from URL"
            )
        }
        return origin
    }
}
