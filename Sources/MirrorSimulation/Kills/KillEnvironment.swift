import Foundation

/// The environment of the kill trials: servers for each version of the catalogue, a counting proxy before them, and
/// template mirrors for every state in which a run begins. All files are under one folder.
package final class KillEnvironment {
    package let program: MirrorProgram
    let folder: String
    let proxy: CountingProxy
    private let options: [String]
    private var servers: [MirrorProgram.Running] = []
    private var ports: [KillKind.Catalogue: Int] = [:]
    /// The expected export of each catalogue.
    private(set) var wanted: [KillKind.Catalogue: Lines] = [:]
    private var created: [KillKind.Start: String] = [:]
    private let changes: Int

    /// The sorted lines of each exported file, by file name.
    typealias Lines = [String: [String]]

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Imports the catalogues and starts the servers.
    ///
    /// - Parameters:
    ///   - folder: created, and removed by ``end()``.
    ///   - artworks: the number of the demo's artworks that are used.
    ///   - formats: the formats of pictures, as for `mirror sync --formats`.
    ///   - changes: the length of an old mirror's change log, which determines how long the migration takes.
    ///   - hasLaterCatalogue: whether runs begin with a mirror of the first catalogue and continue with a later one. Default:
    ///     `true`. Without, there are fewer imports and servers.
    package init(
        _ program: MirrorProgram, folder: String, artworks: Int = 100, formats: String? = nil,
        changes: Int = 100_000, hasLaterCatalogue: Bool = true
    ) throws {
        self.program = program
        self.folder = folder
        self.changes = changes
        options = formats.map { ["--formats", $0] } ?? []
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        proxy = try CountingProxy(to: 0)
        let catalogue = KillCatalogue(artworks: artworks)
        let names: [KillKind.Catalogue] = hasLaterCatalogue ? [.first, .later] : [.first]
        for name in names {
            try catalogue.write(to: self.folder(of: name), isEdited: name == .later)
            if name == .later { try copy(origin(.first), to: origin(.later)) }
            try offer(name)
            // Before the second catalogue is imported: its changes must be newer than everything in the first mirror.
            if name == .first && hasLaterCatalogue { _ = try template(.first) }
        }
    }

    /// Enough artworks for several transactions.
    private static let large = 30_000

    /// Creates a catalogue and starts its server, if that was not done yet.
    func ready(_ catalogue: KillKind.Catalogue) throws {
        guard ports[catalogue] == nil else { return }
        let target = folder(of: catalogue)
        try GeneratedCatalogue(artworks: Self.large).write(to: target)
        try KillCatalogue.partnerFile.write(
            toFile: "\(target)/partner.json", atomically: true, encoding: .utf8)
        try offer(catalogue)
    }

    private func offer(_ catalogue: KillKind.Catalogue) throws {
        try succeed(["import", folder(of: catalogue), "--home", origin(catalogue)])
        wanted[catalogue] = try export(of: origin(catalogue))
        ports[catalogue] = try serve(origin(catalogue))
    }

    /// Stops the servers and removes all files.
    package func end() throws {
        for server in servers {
            server.kill(by: SIGTERM)
            _ = try server.wait()
        }
        servers = []
        proxy.stop()
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Also kills the servers if the setup failed midway.
    deinit {
        for server in servers { server.kill() }
        proxy.stop()
    }

    func folder(of catalogue: KillKind.Catalogue) -> String { "\(folder)/catalogue-\(catalogue.rawValue)" }

    /// The home of the mirror that is served.
    func origin(_ catalogue: KillKind.Catalogue) -> String { "\(folder)/origin-\(catalogue.rawValue)" }

    private var base: String { "http://127.0.0.1:\(proxy.port)/\(KillCatalogue.partner)" }

    func sync(_ home: String) -> [String] {
        ["sync", KillCatalogue.partner, "--from", base, "--progress", "none", "--home", home] + options
    }

    func watch(_ home: String) -> [String] {
        ["watch", KillCatalogue.partner, "--from", base, "--interval", "1s", "--home", home] + options
    }

    func route(_ kind: KillKind) {
        proxy.route(to: ports[kind.catalogue] ?? 0, hidesExtensions: kind.hidesExtensions)
    }

    func route(toPort port: Int) { proxy.route(to: port) }

    /// Starts a server for a home, waits until it listens, and returns its port.
    func serve(_ home: String) throws -> Int {
        let (server, port) = try launch(home)
        servers.append(server)
        return port
    }

    func launch(_ home: String) throws -> (server: MirrorProgram.Running, port: Int) {
        let file = "\(folder)/port-\(UUID().uuidString)"
        let server = try program.start(["serve", "--port", "0", "--port-file", file, "--home", home])
        for _ in 0..<3_000 {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) { return (server, port) }
            Thread.sleep(forTimeInterval: 0.01)
        }
        server.kill()
        throw Failure(description: "mirror serve did not listen within 30 seconds.")
    }

    /// Creates a home in which a run of that kind can begin.
    func home(for kind: KillKind) throws -> String {
        let home = "\(folder)/home-\(UUID().uuidString)"
        if kind == .importChanges {
            try copy(origin(.first), to: home)
        } else if let template = try template(kind.start) {
            try copy(template, to: home)
        }
        return home
    }

    func copy(_ home: String, to target: String) throws {
        try FileManager.default.copyItem(atPath: home, toPath: target)
    }

    func remove(_ home: String) throws {
        if FileManager.default.fileExists(atPath: home) { try FileManager.default.removeItem(atPath: home) }
    }

    func succeed(_ arguments: [String]) throws {
        let end = try program.run(arguments)
        guard end.status == 0 else {
            throw Failure(
                description:
                    "mirror \(arguments.joined(separator: " ")) ended with status \(end.status): \(end.text)")
        }
    }

    /// Exports a mirror. Equal catalogues have equal exports.
    func export(of home: String) throws -> Lines {
        let target = "\(folder)/export-\(UUID().uuidString)"
        try succeed(["export", KillCatalogue.partner, "--format", "jsonl", "--to", target, "--home", home])
        defer { try? FileManager.default.removeItem(atPath: target) }
        var lines: Lines = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: target) {
            let text = try String(contentsOfFile: "\(target)/\(name)", encoding: .utf8)
            lines[name] = text.split(separator: "\n").map(String.init).sorted()
        }
        return lines
    }

    private func template(_ start: KillKind.Start) throws -> String? {
        if start == .nothing { return nil }
        if let home = created[start] { return home }
        let home = "\(folder)/template-\(start.rawValue)"
        if start == .first {
            route(.firstSync)
            try succeed(sync(home))
        } else {
            guard let first = try template(.first) else { return nil }
            try copy(first, to: home)
            switch start {
            case .second:
                route(.update)
                try succeed(sync(home))
            case .damaged: try damage("\(home)/\(KillCatalogue.partner)")
            default:
                try OldMirror.make(at: "\(home)/\(KillCatalogue.partner)/mirror.sqlite", changes: changes)
            }
        }
        created[start] = home
        return home
    }

    /// Damages a mirror: some files are deleted, some are truncated, and files that nothing refers to are added.
    private func damage(_ mirror: String) throws {
        let manager = FileManager.default
        let files = try manager.subpathsOfDirectory(atPath: "\(mirror)/media").sorted()
            .filter { $0.hasSuffix(".jpg") }
        for (index, file) in files.enumerated() {
            let path = "\(mirror)/media/\(file)"
            if index % 5 == 0 { try manager.removeItem(atPath: path) }
            if index % 5 == 1 { truncate(path, 100) }
        }
        for name in ["ab.txt", "ab/x.jpg"] {
            let path = "\(mirror)/media/\(name)"
            try manager.createDirectory(
                atPath: URL(filePath: path).deletingLastPathComponent().path,
                withIntermediateDirectories: true)
            try Data("stray".utf8).write(to: URL(filePath: path))
        }
    }
}
