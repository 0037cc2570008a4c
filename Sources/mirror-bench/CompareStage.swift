import ChildProcesses
import Foundation
import MirrorSimulation

/// One catalogue, and all that is measured with it. Everything lies under one folder.
final class CompareStage {
    let options: CompareOptions
    let children: MeasuredProcesses
    let tools: InstalledTools
    let folder: String
    let servers: CompareServers
    private(set) var size: Int
    private(set) var partner = GeneratedCatalogue.partner
    private(set) var measurements: [Measured] = []
    var notes: [String] = []
    private var homes = 0

    /// From so many on only `snapshot` and `validators` are measured.
    private static let large = 1_000_000
    private static let pictures = 1_000

    /// - Parameter size: 0 for that of the catalogue that is imported.
    init(
        _ options: CompareOptions, _ children: MeasuredProcesses, tools: InstalledTools, folder: String,
        size: Int
    ) {
        self.options = options
        self.children = children
        self.tools = tools
        self.folder = folder
        self.size = size
        servers = CompareServers(children, mirror: options.mirror, folder: folder)
    }

    /// Stops the servers and removes all that was made.
    func end() {
        servers.stopServing()
        servers.stopFiles()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func run() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let catalogue = try prepare()
        let isLarge = size >= Self.large
        if !isLarge {
            try servers.serve(without: ["snapshot"])
            try remove(home: sync("first sync by the tree", .cold))
            try servers.serve(without: [])
            try ToolRuns(self).run()
        }
        try servers.serve(without: [])
        let copy = try sync("first sync by snapshot", .cold)
        try warm("nothing changed", of: copy, isLarge: isLarge)
        try ToolRuns(self).digest()
        guard !isLarge else { return }
        try remove(home: sync("dry run, nothing changed", .warm, from: copy, more: ["--dry-run"]))
        if size == Self.pictures {
            try remove(home: sync("first sync with pictures", .cold, media: true, runs: 1))
        }
        servers.stopServing()
        try CatalogueFiles.edit(catalogue, to: "\(folder)/edited", every: 100)
        try succeed(["import", "\(folder)/edited", "--home", servers.origin])
        try warm("1 % changed", of: copy, isLarge: false)
    }

    /// The extensions left out one by one, and both.
    private func warm(_ what: String, of copy: String, isLarge: Bool) throws {
        let left: [(String, [String])] = [
            ("", []), (", without since", ["since"]), (", without validators", ["validators"]),
            (", without either", ["since", "validators"]),
        ]
        for (name, without) in isLarge ? Array(left.prefix(2)) : left {
            try servers.serve(without: without)
            let home = try sync(what + name, .warm, from: copy)
            // The copy came by a snapshot, so that was the first look at the lists with validators.
            if without == ["since"] {
                try remove(home: sync("\(what)\(name), again", .warm, from: home))
            }
            try remove(home: home)
        }
        try servers.serve(without: [])
    }

    private func prepare() throws -> String {
        let catalogue = options.catalogue ?? "\(folder)/catalogue"
        if options.catalogue == nil {
            CompareBenchmark.tell("making a catalogue of \(size) artworks")
            try CatalogueFiles.write(GeneratedCatalogue(artworks: size), to: catalogue)
        } else {
            size = try CatalogueFiles.count(catalogue)
        }
        try succeed(["import", catalogue, "--home", servers.origin])
        guard
            let name = try FileManager.default.contentsOfDirectory(atPath: servers.origin)
                .first(where: {
                    FileManager.default.fileExists(atPath: "\(servers.origin)/\($0)/mirror.sqlite")
                })
        else { throw MeasuredProcesses.Failure(sentence: "The import made no mirror.") }
        partner = name
        try CatalogueFiles.age(database: "\(servers.origin)/\(name)/mirror.sqlite")
        return catalogue
    }

    func base(onPort port: Int) -> String { "http://127.0.0.1:\(port)/\(partner)" }

    /// Measures a sync as often as is wanted.
    ///
    /// - Parameter home: a mirror, of which a copy is brought up to date each time; `nil` for a first sync.
    /// - Returns: the last home, which the caller removes.
    func sync(
        _ what: String, _ phase: Measured.Phase, from home: String? = nil,
        server: Measured.Server = .mirror, media: Bool = false, more: [String] = [], runs: Int? = nil
    ) throws -> String {
        let port = server == .nginx ? servers.nginxPort : servers.port
        var target = ""
        try measure(what, runs: runs ?? options.runs(at: size)) {
            if !target.isEmpty { try remove(home: target) }
            homes += 1
            target = "\(folder)/home-\(homes)"
            if let home { try FileManager.default.copyItem(atPath: home, toPath: target) }
            let output = "\(folder)/sync.json"
            let end = try children.run(
                options.mirror,
                ["sync", partner, "--from", base(onPort: port), "--json", "--quiet", "--home", target]
                    + (media ? [] : ["--no-media"]) + more,
                output: output)
            guard end.status == 0 else { throw failure("mirror sync (\(what))", end, output) }
            let told = try SyncTold(output)
            var measured = Measured(
                what: what, tool: Comparison.mirror, phase: phase, server: server, artworks: size,
                seconds: end.seconds, cpu: end.cpu, peak: Double(end.peak) / 1_048_576,
                requests: told.requests,
                bytes: told.bytes)
            measured.hasPictures = media
            return measured
        }
        return target
    }

    func measure(_ what: String, runs: Int, _ once: () throws -> Measured) throws {
        guard let median = Measured.median(of: try (0..<runs).map { _ in try once() }) else { return }
        CompareBenchmark.tell(
            "\(size) artworks, \(median.server.rawValue): \(what): \(median.seconds.text(3)) s")
        measurements.append(median)
    }

    func remove(home: String) throws { try FileManager.default.removeItem(atPath: home) }

    func succeed(_ arguments: [String]) throws {
        let end = try children.run(options.mirror, arguments, output: "\(folder)/output")
        guard end.status == 0 else {
            throw failure("mirror \(arguments.first ?? "")", end, "\(folder)/output")
        }
    }

    func failure(_ name: String, _ end: ChildProcess.Ending, _ output: String) -> MeasuredProcesses.Failure {
        let told = (try? String(contentsOfFile: output + ".errors", encoding: .utf8)) ?? ""
        return MeasuredProcesses.Failure(sentence: "\(name) ended with \(end.status): \(told.suffix(600))")
    }
}
