import Catalogue
import MirrorHTTP
import MirrorStore
import MirrorSync
import Synchronization

/// All watches of one command, each by itself: one that ends holds up no other.
struct WatchRun: Sendable {
    let home: MirrorHome
    let names: [String]
    let from: String?
    let interval: Duration
    let options: SyncOptions
    let jobs: Int
    let certificates: CertificateOptions
    let token: String?
    let output: LineOutput
    let screen: Screen
    let json: Bool
    let isQuiet: Bool
    let progress: ProgressMode.Style

    /// Watches until the task is cancelled, or none is left.
    ///
    /// - Returns: what ended the first watch that ended by itself; `nil` if all were stopped.
    func untilStopped() async -> (any Error)? {
        let watches = WatchList()
        let failures = await HangUp.observing {
            watches.pollNow()
        } _: {
            await withTaskGroup(of: (any Error)?.self) { group in
                for name in names { group.addTask { await watch(name, watches) } }
                return await group.reduce(into: []) { failures, failure in
                    failure.map { failures.append($0) }
                }
            }
        }
        if json, failures.isEmpty {
            output.json([
                "type": "summary", "outcome": "stopped", "partners": .array(names.map(JSONValue.string)),
            ])
        }
        return failures.first
    }

    /// - Returns: what ended it, if it wasn't stopped.
    private func watch(_ name: String, _ watches: WatchList) async -> (any Error)? {
        do {
            let folder = try home.mirror(name)
            let from = try from ?? CredentialsFile.addressOfFirstSync(folder)
            guard try DemoServer.isMeant(partner: name, from: from, folder: folder) else {
                try await watch(folder, from: from, token: token, watches)
                return nil
            }
            try await DemoServer().whileRunning { base in
                try await watch(folder, from: base, token: nil, watches)
            }
            return nil
        } catch is CancellationError {
            return nil
        } catch {
            if names.count > 1 { screen.line("mirror: \(name): \(Sentence.of(error))") }
            return error
        }
    }

    private func watch(_ folder: MirrorFolder, from base: String?, token: String?, _ watches: WatchList)
        async throws
    {
        let report = WatchReport(
            output: output, screen: screen, json: json, isQuiet: isQuiet, folder: folder, progress: progress)
        try report.begin()
        let composition = Composition(screen: screen), certificates = certificates
        let watch = Watch(
            partner: folder.name, folder: folder, base: base, options: options, interval: interval,
            logger: composition.logger,
            makeSession: composition.session(
                jobs: jobs, authorities: { try certificates.authorities(for: folder) }
            ) { base in
                try token.map(Credentials.token) ?? CredentialsFile(folder).credentials(for: base)
            })
        watches.add(watch)
        try await watch.run(report.observer)
    }
}

/// The watches that were begun.
private final class WatchList: Sendable {
    private let watches = Mutex<[Watch]>([])

    func add(_ watch: Watch) { watches.withLock { $0.append(watch) } }
    func pollNow() { for watch in watches.withLock({ $0 }) { watch.pollNow() } }
}
