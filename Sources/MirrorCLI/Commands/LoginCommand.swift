import ArgumentParser
import MirrorHTTP
import MirrorStore
import MirrorSync

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Keep an access token, or a name and password, for a partner's server.",
        discussion: """
            The secret is asked for, or read from standard input, --token-file, --token-command or MIRROR_TOKEN. It is kept in \
            the mirror's folder, in a file that only you can read, and is sent to that server alone.
            """)

    @Argument(help: "The partner.")
    var partner: String

    @Option(
        help: ArgumentHelp("The server. Default: the one that is remembered from a sync.", valueName: "url"))
    var from: String?

    @Option(
        help: ArgumentHelp("Log in with this name and a password, instead of a token.", valueName: "name"))
    var name: String?

    @Flag(help: "Forget what is kept.")
    var forget = false

    @OptionGroup var secrets: SecretOptions
    @OptionGroup var home: HomeOptions

    func validate() throws {
        try from.map { try TextCheck.server($0, of: partner) }
        guard name == nil || !secrets.areGiven else {
            throw ValidationError("Give a name, or where a token is, not both.")
        }
    }

    func run() async throws {
        let output = LineOutput.standard()
        let folder = try home.mirrorHome.mirror(partner)
        let file = CredentialsFile(folder)
        if forget {
            let was = try file.remove()
            output.line(was ? "Forgotten." : "Nothing was kept for \(partner).")
            return try output.finish()
        }
        let base = try origin(folder)
        if !folder.exists { try folder.prepare() }
        try file.store(try await credentials(), for: base)
        output.line(
            "Kept for \(CredentialsFile.host(of: base)?.printable ?? partner) in \(file.path.printable)")
        try output.finish()
    }

    private func credentials() async throws -> Credentials {
        if let name { return .login(name: name, password: try SecretPrompt.ask("Password")) }
        return .token(try await secrets.token() ?? SecretPrompt.ask("Token"))
    }

    private func origin(_ folder: MirrorFolder) throws -> String {
        if let from { return try ServerAddress.base(from: from, of: partner) }
        guard let origin = try folder.rememberedServer().origin else {
            throw CommandError(
                .secret, "Which server is that for? Name it: mirror login \(partner) --from URL")
        }
        return origin
    }
}
