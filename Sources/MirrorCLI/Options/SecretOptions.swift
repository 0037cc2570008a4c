import ArgumentParser
import MirrorHTTP

/// Where an access token comes from. A secret is never an argument itself: arguments are seen by everybody.
struct SecretOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file whose first line is the access token.", valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A command that prints the access token, run by /bin/sh: a password manager's, for one.",
            valueName: "command"))
    var tokenCommand: String?

    func validate() throws {
        guard tokenFile == nil || tokenCommand == nil else {
            throw ValidationError("Give --token-file or --token-command, not both.")
        }
    }

    /// The token that was asked for, else that of `MIRROR_TOKEN`, else `nil`.
    func token(environment: [String: String]) async throws -> String? {
        if let tokenFile { return try TokenSource.file(tokenFile) }
        if let tokenCommand { return try await TokenSource.command(tokenCommand) }
        guard let token = environment["MIRROR_TOKEN"], !token.isEmpty else { return nil }
        return token
    }
}
