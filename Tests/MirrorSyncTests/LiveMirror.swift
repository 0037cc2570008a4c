import Catalogue
import ChildProcesses
import Foundation
import MirrorHTTP
import MirrorServer
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// Mirrors in a temporary home, which are served over loopback and synced with the real transport.
struct LiveMirror {
    let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// The folder of the home, for a test's other files.
    var folder: TemporaryFolder { home.folder }

    func mirror(_ name: String) throws -> MirrorFolder { try home.mirror(name) }

    @discardableResult
    func importing(_ source: CatalogueFiles, as name: String) async throws -> SyncSummary {
        try await CatalogueImport(source, into: mirror(name)).run()
    }

    /// Serves the mirrors of this home while `body` runs. Pictures aren't drawn, but each has different bytes.
    func serving<T: Sendable>(_ body: @escaping @Sendable (_ port: Int) async throws -> T) async throws -> T {
        var configuration = CatalogueServer.Configuration()
        // Drawing takes long in a debug build.
        configuration.draw = { image, format, ratio in
            let subject = "\(image) \(format) \(ratio ?? 0)"
            return [0xFF, 0xD8, 0xFF] + Array(repeating: Array(subject.utf8), count: 200).joined()
        }
        let server = CatalogueServer(home: home.home, configuration: configuration)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        return try await withThrowingTaskGroup(of: T?.self) { group in
            group.addTask {
                try await server.run { port.yield($0) }
                return nil
            }
            for await number in ports {
                let result = try await body(number)
                group.cancelAll()
                return result
            }
            throw CancellationError()
        }
    }

    /// Syncs the mirror `name` from the mirror `origin` that another home serves.
    @discardableResult
    func sync(
        _ name: String, from origin: String, port: Int, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        var options = SyncOptions()
        change(&options)
        return try await Sync(
            partner: name, folder: mirror(name), base: "http://127.0.0.1:\(port)/\(origin)", options: options
        ) { base, cache in
            try InterceptableSession(
                base: base, transport: CurlTransport(.init(addresses: .testing)), cache: cache,
                interceptors: .standard())
        }.run()
    }

    /// Exports the mirror as a catalogue: the lines of each file, as JSON values.
    func export(_ name: String) throws -> [String: [JSONValue]] {
        let target = "\(folder.path)/export-\(UUID().uuidString)"
        let store = try mirror(name).store()
        defer { try? store.close() }
        _ = try CatalogueExport(store, folder: mirror(name)).write(.jsonl, to: target)
        return try Self.catalogue(.folder(target))
    }

    static func catalogue(_ source: CatalogueFiles) throws -> [String: [JSONValue]] {
        var files: [String: [JSONValue]] = [
            "partner.json": [.object(try source.partner())],
            "user.json": try source.user().map { [.object($0)] } ?? [],
        ]
        for name in ["artists", "artworks", "shows", "albums", "locations", "documents"] {
            var lines: [JSONValue] = []
            _ = try source.lines(of: "\(name).jsonl") { object, _ in lines.append(.object(object)) }
            files["\(name).jsonl"] = lines
        }
        return files
    }

    /// ETags by kind and id, as this mirror serves them.
    func etags(_ name: String) throws -> [String: String] {
        let store = try mirror(name).store()
        defer { try? store.close() }
        var etags: [String: String] = [:]
        for kind in Kinds.standard.listed {
            try store.served { try $0.eachListed(kind) { etags["\(kind.name)/\($0)"] = $1 } }
        }
        return etags
    }
}

/// Real catalogues: one in the tests' folder, and others beside the package, if they are installed.
enum RealCatalogues {
    private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// 150 works of the Carnegie Museum of Art (CC0 1.0; licence and attribution are in its `partner.json`). The URLs of its
    /// pictures name real hosts.
    static let fixture = tests.appending(path: "Catalogues/cmoa-small")

    static let folder = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/catalogues")

    static var arePresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// Unpacks a catalogue's archive into a folder.
    static func unpack(_ name: String, into folder: TemporaryFolder) throws -> CatalogueFiles {
        let target = folder.file(name)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let archive = Self.folder.appending(path: "\(name).tar.xz").path
        let tar = try ChildProcess("tar", ["-xJf", archive, "-C", target, "--strip-components=1"])
        try #require(tar.wait().status == 0)
        return .folder(target)
    }

    /// A catalogue with a quarter of its artworks, always the same ones. Its albums list only these.
    static func quarter(of catalogue: CatalogueFiles) throws -> CatalogueFiles {
        func isChosen(_ id: String?) -> Bool { (id ?? "").utf8.reduce(0) { $0 + Int($1) }.isMultiple(of: 4) }
        var files = try LiveMirror.catalogue(catalogue)
        files["artworks.jsonl"]?.removeAll { !isChosen($0.objectValue?["id"]?.idText) }
        files["albums.jsonl"] = files["albums.jsonl"]?.map { album in
            guard var object = album.objectValue else { return album }
            let ids = object["artwork_ids"]?.arrayValue ?? []
            object["artwork_ids"] = .array(ids.filter { isChosen($0.idText) })
            return .object(object)
        }
        return .embedded(
            files.filter { !$0.value.isEmpty || $0.key.hasSuffix(".jsonl") }
                .mapValues { $0.map(\.canonicalText).joined(separator: "\n") })
    }
}
