import ArgumentParser
import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync

struct SourceCheckCommand: AsyncParsableCommand, ResourceIntensiveCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Try a description: request a page and an object, and show what comes of them.",
        discussion: """
            For each kind of the description it requests one page of the list and one object, and shows the object that \
            comes of them, what each column was read from, which columns are empty in every row, what proves that the list is \
            complete, and which hosts a sync would ask. Where the description has a list of ids and versions, several objects in \
            one answer, or changes, it tries one request of each, too. It writes nothing.

              mirror source check met
              mirror source check ./museum.yaml --id 12
            """)

    @Argument(
        help: ArgumentHelp(
            "The source's name, or the path of a description: it contains / or ends with .yaml.",
            valueName: "name-or-file"), completion: .sources)
    var source: String

    @Option(
        help: ArgumentHelp(
            "Another base address than that of the description, such as that of a test server.",
            valueName: "url"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "Request this object by its own address, instead of the first one in the list. Without --kind it is an artwork.",
            valueName: "id"))
    var id: String?

    @Option(help: ArgumentHelp("Check only this kind.", valueName: "kind"))
    var kind: KindArgument?

    @OptionGroup var output: OutputOptions
    @OptionGroup var home: HomeOptions

    var connections: Int { 2 }

    func validate() throws {
        if id?.isEmpty == true { throw ValidationError("--id is empty. Give the id of an object.") }
        guard let from else { return }
        do {
            _ = try SourceDescription().moved(to: from)
        } catch {
            throw ValidationError("--from: \(error.message)")
        }
    }

    func run() async throws {
        try await output.printing { results in
            let reader = try SourceChoice(source).reader(home.sources, base: from)
            if let kind, reader.description[kind.kind] == nil {
                throw ValidationError(
                    "The description \(reader.file.printable) doesn't describe \(kind.kind.plural). Choose one of these kinds: \(Wording.list(reader.description.kinds.map(\.kind.plural)))."
                )
            }
            let session = try Self.session(reader.description, ProcessInfo.processInfo.environment)
            let check = SourceCheck(reader, session: session, kind: kind?.kind, id: id)
            let report = try await check.run()
            SourceCheckJSON.print(report, results)
            results.lines(SourceCheckText.lines(report))
            if !report.failures.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }

    /// A session that obeys the description's rules.
    private static func session(
        _ description: SourceDescription, _ environment: [String: String]
    ) throws -> InterceptableSession {
        let rules = try description.hostRules(environment: environment, longestWait: longestWait)
        CurlTransport.prepare()
        let connections = ConnectionGuard(base: description.base)
        let transport = CurlTransport(
            CurlTransport.Configuration(
                maxRequestsPerHost: 1, maxConnectionsPerHost: 1, maxRequests: 2,
                authorities: .named(in: environment),
                permitsAddress: { connections.permits(url: $0, address: $1) }))
        let configuration = SessionConfiguration(
            longestWait: longestWait, concurrency: .fixed(1),
            userAgent: "mirror/\(Composition.version)")
        return try InterceptableSession(
            base: description.base, transport: transport,
            interceptors: .standard(retry: RetryPolicy(limit: 1)), configuration: configuration
        ).obeying(rules)
    }

    /// A person waits: a server that blocks requests for minutes is reported instead.
    private static let longestWait = Duration.seconds(20)
}

/// A source in an argument: a name, or the path of a file.
struct SourceChoice: Equatable {
    let text: String

    init(_ text: String) { self.text = text }

    /// Whether the text is the path of a file.
    var isFile: Bool { text.contains("/") || text.hasSuffix(".yaml") }

    /// Reads the description, and compiles its queries.
    ///
    /// - Parameter base: Another base address; `nil` for that of the description.
    /// - Throws: ``SourceDescriptionError``; ``SyncError`` for a base that can't be used.
    func reader(_ sources: SourceFolder, base: String?) throws -> SourceReader {
        let description: SourceDescription
        let file: String
        if isFile {
            description = try SourceFolder.description(at: text)
            file = text
        } else {
            description = try sources.description(named: text)
            file = try sources.path(named: text) ?? "\(text).yaml"
        }
        return try SourceReader(base.map(description.moved) ?? description, file: file)
    }
}
