import Foundation
import MirrorStore
import MirrorSync
import Synchronization

/// Kills one run at a random moment, and checks what it left:
///
/// 1. Both databases are intact, and no reference in them is broken.
/// 2. `mirror verify` finds no damage before anything was repaired. It may only find what a run does at its end: members
///    of a list that are missing or not swept yet, and a search index that is not up to date.
/// 3. The next run succeeds, and the mirror is equal to the server.
/// 4. The server sends nothing again that was committed.
/// 5. The content of every file matches the hash in its name.
package struct KillTrial {
    let environment: KillEnvironment
    let kind: KillKind
    private var random: SplitMix

    /// What was wrong; empty if the mirror survived.
    package private(set) var findings: [String] = []
    /// The numbers of objects and files that were committed when the run was killed.
    package private(set) var objects = 0, files = 0
    /// When it was killed: the time, or the number of the answer, with the total of a whole run.
    package private(set) var moment = ""

    package init(_ environment: KillEnvironment, _ kind: KillKind, seed: UInt64) {
        self.environment = environment
        self.kind = kind
        random = SplitMix(seed: seed)
    }

    /// The duration of a whole run, and its number of answers.
    package struct Measure: Sendable {
        package var seconds: Double
        package var answers: Int

        package init(seconds: Double, answers: Int) {
            self.seconds = seconds
            self.answers = answers
        }
    }

    /// Measures a run of that kind that is not killed, and checks that it succeeds.
    package static func measure(_ environment: KillEnvironment, _ kind: KillKind) throws -> Measure {
        try environment.ready(kind.catalogue)
        let home = try environment.home(for: kind)
        defer { try? environment.remove(home) }
        environment.route(kind)
        if kind == .watch {
            // Enough for the start, the first sync and the first pages of events.
            return Measure(seconds: 2, answers: 0)
        }
        let end = try environment.program.run(command(environment, kind, home))
        guard end.status == 0 else {
            throw KillEnvironment.Failure(
                description: "\(kind.rawValue) ended with status \(end.status): \(end.text)")
        }
        let answers = environment.proxy.answers
        if kind == .firstSync {
            // Without ETags that can be compared, nothing that is sent twice would be noticed.
            let state = try CommittedState(
                folder: "\(home)/\(KillCatalogue.partner)", spare: environment.folder)
            let counted = Set(answers.compactMap(\.etag)).intersection(state.etags).count
            guard counted > state.files, state.files > 0, counted > state.objects / 2 else {
                throw KillEnvironment.Failure(
                    description:
                        "Of \(answers.count) answers only \(counted) are for something that was committed.")
            }
        }
        return Measure(seconds: end.seconds, answers: answers.count)
    }

    /// - Parameter measure: the result of ``measure(_:_:)``.
    package mutating func run(_ measure: Measure) throws {
        // A run that ended before it was killed doesn't count; the next is killed earlier.
        for attempt in 0..<20 {
            let home = try environment.home(for: kind)
            defer {
                try? environment.remove(home)
                endOwnServer()
            }
            if try kill(home, measure, earlier: pow(0.9, Double(attempt))) {
                try check(home)
                return
            }
        }
        findings.append("All 20 attempts ended before the run could be killed.")
    }

    static func command(_ environment: KillEnvironment, _ kind: KillKind, _ home: String) -> [String] {
        switch kind {
        case .firstSync, .update, .plainFirstSync, .plainUpdate: environment.sync(home)
        case .largeFirstSync: environment.sync(home) + ["--no-media"]
        case .restore: ["restore", "--home", home]
        case .repair: ["verify", KillCatalogue.partner, "--read-data", "all", "--repair", "--home", home]
        case .firstImport, .importChanges: ["import", environment.folder(of: kind.catalogue), "--home", home]
        // Every command that opens the mirror migrates it to the current version.
        case .migration: ["log", "--runs", "--home", home]
        case .watch: environment.watch(home)
        }
    }

    private mutating func kill(_ home: String, _ measure: Measure, earlier: Double) throws -> Bool {
        if kind == .watch {
            let origin = "\(home)-origin"
            try environment.copy(environment.origin(.first), to: origin)
            let (server, port) = try environment.launch(origin)
            ownServer = (server, port, origin)
        }
        route()
        let share = random.unit() * earlier
        let isByAnswer = kind.mayBeKilledAtAnswer && measure.answers > 1 && random.chance(50)
        let running: MirrorProgram.Running
        if isByAnswer {
            let number = 1 + Int(share * Double(measure.answers))
            moment = "at answer \(number) of \(measure.answers)"
            let target = TargetProcess()
            environment.proxy.onAnswer(number) { target.kill() }
            running = try environment.program.start(Self.command(environment, kind, home))
            target.set(running)
        } else {
            let seconds = share * measure.seconds
            moment = "after \(Int(seconds * 1_000)) ms of \(Int(measure.seconds * 1_000))"
            running = try environment.program.start(Self.command(environment, kind, home))
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { running.kill() }
        }
        // The changes that a watch follows are made while it runs.
        if let ownServer {
            try environment.succeed(["import", environment.folder(of: .later), "--home", ownServer.home])
        }
        let end = try running.wait()
        if !end.wasKilled, end.status != 0 {
            findings.append("It failed before it was killed, with status \(end.status): \(end.text)")
            return true
        }
        if end.wasKilled { try inspect(home) }
        return end.wasKilled
    }

    /// The server that a watch follows. It has an event log of its own, with which the next run has to continue.
    private var ownServer: (server: MirrorProgram.Running, port: Int, home: String)?

    private func route() {
        if let ownServer { environment.route(toPort: ownServer.port) } else { environment.route(kind) }
    }

    private mutating func endOwnServer() {
        guard let ownServer else { return }
        ownServer.server.kill()
        _ = try? ownServer.server.wait()
        try? environment.remove(ownServer.home)
        self.ownServer = nil
    }

    private static let toleratedFindings = ["list", "search"]

    private var committed: Set<String> = []
    private var hasArtworks = false

    /// Inspects the mirror before anything is repaired.
    private mutating func inspect(_ home: String) throws {
        let state = try CommittedState(folder: "\(home)/\(KillCatalogue.partner)", spare: environment.folder)
        findings += state.defects
        committed = state.etags
        objects = state.objects
        files = state.files
        hasArtworks = state.artworks > 0
        guard kind != .repair, state.hasTables else { return }
        let end = try environment.program.run(["verify", KillCatalogue.partner, "--json", "--home", home])
        guard end.text.contains(#""type":"summary""#) else {
            findings.append("verify after the kill ended with status \(end.status): \(end.text)")
            return
        }
        findings += end.text.split(separator: "\n").filter { line in
            line.contains(#""type":"finding""#)
                && !Self.toleratedFindings.contains { line.contains(#""what":"\#($0)""#) }
        }.map { "verify after the kill: \($0)" }
    }

    private mutating func check(_ home: String) throws {
        guard findings.isEmpty else { return }
        route()
        switch kind {
        case .watch, .migration: try expect(environment.sync(home), "the next sync")
        case .restore:
            try expect(Self.command(environment, kind, home), "the next run")
            try checkRestored(home)
            try expect(["restore", "--undo", "--home", home], "restore --undo")
            try expect(environment.sync(home), "the next sync")
        default: try expect(Self.command(environment, kind, home), "the next run")
        }
        // Each line of a snapshot counts as an answer.
        if kind.usesSnapshot, hasArtworks,
            let restarted = environment.proxy.answers.first(where: {
                $0.target.contains("/snapshot") && !$0.target.contains("after=")
            })
        {
            findings.append(
                "the snapshot was requested from its start, although a part of it was committed: \(restarted.target)"
            )
        }
        let again = environment.proxy.answers.filter { answer in
            [200, 206].contains(answer.status) && answer.etag.map(committed.contains) == true
        }
        if !again.isEmpty {
            findings.append(
                "\(again.count) committed answers were sent again, such as \(again.first?.target ?? "")")
        }
        try expect(
            ["verify", KillCatalogue.partner, "--read-data", "all", "--home", home], "verify at the end")
        guard findings.isEmpty else { return }
        let lines = try environment.export(of: home)
        for (name, wanted) in environment.wanted[kind.catalogue] ?? [:] where lines[name] != wanted {
            let actual = lines[name] ?? []
            let missing = wanted.filter { !actual.contains($0) },
                more = actual.filter { !wanted.contains($0) }
            findings.append(
                "\(name) differs from the server's: \(missing.count) lines are missing, \(more.count) are unexpected, such as \((missing + more).first?.prefix(200) ?? "")"
            )
        }
    }

    /// Checks that the deleted objects are restored, by the killed run or by the next one.
    private mutating func checkRestored(_ home: String) throws {
        let store = try MirrorHome(path: home).mirror(KillCatalogue.partner).store()
        defer { try? store.close() }
        let kept = try store.keptCounts().values.reduce(0, +)
        if kept == 0 { findings.append("restore restored nothing") }
    }

    private mutating func expect(_ arguments: [String], _ what: String) throws {
        let end = try environment.program.run(arguments)
        if end.status != 0 { findings.append("\(what) ended with status \(end.status): \(end.text)") }
    }
}

/// The process to be killed. The request to kill it may come before the process is known.
private final class TargetProcess: Sendable {
    private struct State {
        var process: MirrorProgram.Running?
        var isDue = false
    }

    private let state = Mutex(State())

    func set(_ process: MirrorProgram.Running) {
        let isDue = state.withLock { state in
            state.process = process
            return state.isDue
        }
        if isDue { process.kill() }
    }

    func kill() {
        let process = state.withLock { state in
            state.isDue = true
            return state.process
        }
        process?.kill()
    }
}
