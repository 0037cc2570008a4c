import Foundation
import MirrorStore
import MirrorSync
import Synchronization

/// One run that is killed at a random moment, and all that has to hold of what it left:
///
/// 1. both databases are sound, and nothing in them refers to nothing;
/// 2. `mirror verify` finds no damage, before anything was mended: only what a run does at its end may be undone, which is
///    that members of a list are missing or not swept yet, and that the search index is not up to date;
/// 3. the next run ends well, and the mirror holds what the server holds;
/// 4. of what was committed the server sends nothing again;
/// 5. every file has the bytes that its name says.
package struct KillTrial {
    let stage: KillStage
    let kind: KillKind
    private var random: SplitMix

    /// What was found wrong; nothing, if it survived.
    package private(set) var findings: [String] = []
    /// How many objects and files were committed when it was killed.
    package private(set) var objects = 0, files = 0
    /// Whether it was killed, and when: a share of the time, or of the answers, that a whole run takes.
    package private(set) var moment = ""

    package init(_ stage: KillStage, _ kind: KillKind, seed: UInt64) {
        self.stage = stage
        self.kind = kind
        random = SplitMix(seed: seed)
    }

    /// How long a whole run takes, and how many answers.
    package struct Measure: Sendable {
        package var seconds: Double
        package var answers: Int

        package init(seconds: Double, answers: Int) {
            self.seconds = seconds
            self.answers = answers
        }
    }

    /// Lets a run of that kind come to its end: how long it takes, and that all holds if nobody kills it.
    package static func measure(_ stage: KillStage, _ kind: KillKind) throws -> Measure {
        try stage.ready(kind.catalogue)
        let home = try stage.home(for: kind)
        defer { try? stage.remove(home) }
        stage.route(kind)
        if kind == .watch {
            // From its start over its first sync to the first pages of events.
            return Measure(seconds: 2, answers: 0)
        }
        let end = try stage.program.run(command(stage, kind, home))
        guard end.status == 0 else {
            throw KillStage.Failure(description: "\(kind.rawValue) ended with \(end.status): \(end.text)")
        }
        let answers = stage.proxy.answers
        if kind == .firstSync {
            // Or nothing that came twice would ever be noticed.
            let state = try CommittedState(folder: "\(home)/\(KillCatalogue.partner)", spare: stage.folder)
            let counted = Set(answers.compactMap(\.etag)).intersection(state.etags).count
            guard counted > state.files, state.files > 0, counted > state.objects / 2 else {
                throw KillStage.Failure(
                    description: "Of \(answers.count) answers only \(counted) are known as committed.")
            }
        }
        return Measure(seconds: end.seconds, answers: answers.count)
    }

    /// - Parameter whole: what ``measure(_:_:)`` told.
    package mutating func run(_ whole: Measure) throws {
        // A run that came to its end before it was killed is none; the next is killed sooner.
        for attempt in 0..<20 {
            let home = try stage.home(for: kind)
            defer {
                try? stage.remove(home)
                endOwnServer()
            }
            if try kill(home, whole, earlier: pow(0.9, Double(attempt))) {
                try check(home)
                return
            }
        }
        findings.append("It always came to its end before it could be killed.")
    }

    static func command(_ stage: KillStage, _ kind: KillKind, _ home: String) -> [String] {
        switch kind {
        case .firstSync, .update, .plainFirstSync, .plainUpdate: stage.sync(home)
        case .largeFirstSync: stage.sync(home) + ["--no-media"]
        case .restore: ["restore", "--home", home]
        case .repair: ["verify", KillCatalogue.partner, "--read-data", "all", "--repair", "--home", home]
        case .firstImport, .importChanges: ["import", stage.folder(of: kind.catalogue), "--home", home]
        // Whatever opens the mirror brings it to the newest version.
        case .migration: ["log", "--runs", "--home", home]
        case .watch: stage.watch(home)
        }
    }

    private mutating func kill(_ home: String, _ whole: Measure, earlier: Double) throws -> Bool {
        if kind == .watch {
            let origin = "\(home)-origin"
            try stage.copy(stage.origin(.first), to: origin)
            let (server, port) = try stage.launch(origin)
            own = (server, port, origin)
        }
        route()
        let share = random.unit() * earlier
        let isByAnswer = kind.asksMuch && whole.answers > 1 && random.chance(50)
        let running: MirrorProgram.Running
        if isByAnswer {
            let number = 1 + Int(share * Double(whole.answers))
            moment = "at answer \(number) of \(whole.answers)"
            let target = TargetProcess()
            stage.proxy.ring(at: number) { target.kill() }
            running = try stage.program.start(Self.command(stage, kind, home))
            target.set(running)
        } else {
            let seconds = share * whole.seconds
            moment = "after \(Int(seconds * 1_000)) ms of \(Int(whole.seconds * 1_000))"
            running = try stage.program.start(Self.command(stage, kind, home))
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { running.kill() }
        }
        // What a watch follows happens while it runs.
        if let own { try stage.succeed(["import", stage.folder(of: .later), "--home", own.home]) }
        let end = try running.wait()
        if !end.wasKilled, end.status != 0 {
            findings.append("It failed by itself with \(end.status): \(end.text)")
            return true
        }
        if end.wasKilled { try look(home) }
        return end.wasKilled
    }

    /// The server that a watch follows: it has a history of its own, with which the next run has to go on.
    private var own: (server: MirrorProgram.Running, port: Int, home: String)?

    private func route() {
        if let own { stage.route(toPort: own.port) } else { stage.route(kind) }
    }

    private mutating func endOwnServer() {
        guard let own else { return }
        own.server.kill()
        _ = try? own.server.wait()
        try? stage.remove(own.home)
        self.own = nil
    }

    private static let undone = ["list", "search"]

    private var committed: Set<String> = []
    private var hasArtworks = false

    /// What is there before anybody mends anything.
    private mutating func look(_ home: String) throws {
        let state = try CommittedState(folder: "\(home)/\(KillCatalogue.partner)", spare: stage.folder)
        findings += state.damages
        committed = state.etags
        objects = state.objects
        files = state.files
        hasArtworks = state.artworks > 0
        guard kind != .repair, state.hasTables else { return }
        let end = try stage.program.run(["verify", KillCatalogue.partner, "--json", "--home", home])
        guard end.text.contains(#""type":"summary""#) else {
            findings.append("verify after the kill ended with \(end.status): \(end.text)")
            return
        }
        findings += end.text.split(separator: "\n").filter { line in
            line.contains(#""type":"finding""#)
                && !Self.undone.contains { line.contains(#""what":"\#($0)""#) }
        }.map { "verify after the kill: \($0)" }
    }

    private mutating func check(_ home: String) throws {
        guard findings.isEmpty else { return }
        route()
        switch kind {
        case .watch, .migration: try expect(stage.sync(home), "the next sync")
        case .restore:
            try expect(Self.command(stage, kind, home), "the next run")
            try checkRestored(home)
            try expect(["restore", "--undo", "--home", home], "restore --undo")
            try expect(stage.sync(home), "the next sync")
        default: try expect(Self.command(stage, kind, home), "the next run")
        }
        // Each line of a snapshot is an answer, too.
        if kind.loads, hasArtworks,
            let anew = stage.proxy.answers.first(where: {
                $0.target.contains("/snapshot") && !$0.target.contains("after=")
            })
        {
            findings.append("what was committed of a snapshot came again: \(anew.target)")
        }
        let again = stage.proxy.answers.filter { answer in
            [200, 206].contains(answer.status) && answer.etag.map(committed.contains) == true
        }
        if !again.isEmpty {
            findings.append(
                "\(again.count) of what was committed came again, such as \(again.first?.target ?? "")")
        }
        try expect(
            ["verify", KillCatalogue.partner, "--read-data", "all", "--home", home], "verify at the end")
        guard findings.isEmpty else { return }
        let lines = try stage.export(of: home)
        for (name, wanted) in stage.wanted[kind.catalogue] ?? [:] where lines[name] != wanted {
            let here = lines[name] ?? []
            let missing = wanted.filter { !here.contains($0) }, more = here.filter { !wanted.contains($0) }
            findings.append(
                "\(name) differs from the server's: \(missing.count) lines are missing, \(more.count) are too many, such as \((missing + more).first?.prefix(200) ?? "")"
            )
        }
    }

    /// What was deleted is back, whether the run that was killed did it or the next.
    private mutating func checkRestored(_ home: String) throws {
        let store = try MirrorHome(path: home).mirror(KillCatalogue.partner).store()
        defer { try? store.close() }
        let kept = try store.keptCounts().values.reduce(0, +)
        if kept == 0 { findings.append("restore brought nothing back") }
    }

    private mutating func expect(_ arguments: [String], _ what: String) throws {
        let end = try stage.program.run(arguments)
        if end.status != 0 { findings.append("\(what) ended with \(end.status): \(end.text)") }
    }
}

/// The process that is to be killed, which may not be known yet when it is.
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
