/// An article of the documentation. `mirror help` and `mirror man` list the articles for users of the command.
struct Article {
    let title: String
    let target: String
    let name: String

    /// Relative to the package's folder.
    var path: String { "Sources/\(target)/\(target).docc/\(name).md" }

    static let forUsers = [
        Article("Commands", "MirrorCLI", "Commands"),
        Article("JSON output", "MirrorCLI", "JSONOutput"),
        Article("Exit codes", "MirrorCLI", "ExitCodes"),
        Article("Tokens and login", "MirrorCLI", "TokensAndLogin"),
        Article("Write a source", "MirrorCLI", "WriteASource"),
        Article("Sync strategies", "MirrorSync", "SyncStrategies"),
        Article("Dry runs", "MirrorSync", "DryRuns"),
        Article("Watching", "MirrorSync", "Watching"),
        Article("Hooks", "MirrorSync", "Hooks"),
        Article("Failing servers", "MirrorSync", "FailingServers"),
        Article("Untrusted servers", "MirrorSync", "UntrustedServers"),
        Article("Albums and notes", "MirrorSync", "AlbumsAndNotes"),
        Article("Verify and repair", "MirrorSync", "VerifyAndRepair"),
        Article("Import and export", "MirrorSync", "ImportAndExport"),
        Article("The files of a mirror", "MirrorStore", "FilesOfAMirror"),
        Article("The database", "MirrorStore", "DatabaseSchema"),
        Article("The delete guard", "MirrorStore", "TheDeleteGuard"),
        Article("History and restore", "MirrorStore", "HistoryAndRestore"),
        Article("Missing objects and files", "MirrorStore", "MissingObjects"),
        Article("Serving mirrors", "MirrorServer", "Serving"),
        Article("Pages", "MirrorServer", "Pages"),
        Article("The Partner API", "Catalogue", "PartnerAPI"),
        Article("Glossary", "MirrorSync", "Glossary"),
    ]

    private init(_ title: String, _ target: String, _ name: String) {
        self.title = title
        self.target = target
        self.name = name
    }
}
