import ChildProcesses
import Foundation
import MirrorSimulation

/// What else copies the same URLs from the same servers, each in its own way.
struct ToolRuns {
    let stage: CompareStage
    private var folder: String { stage.folder }

    init(_ stage: CompareStage) { self.stage = stage }

    func run() throws {
        let found = stage.tools.found
        guard found.contains("curl") else {
            if !found.isDisjoint(with: ["wget2", "nginx", "rclone"]) {
                stage.notes.append("Without curl there is no list of the URLs: only dlt was measured.")
            }
            if found.contains("dlt") { try dlt() }
            return
        }
        let paths = try canonicalPaths()
        let urls = asked(paths).map { "http://127.0.0.1:\(stage.servers.port)\($0)" }
        try curl(urls, .mirror)
        try curl(urls, .mirror, keeping: true)
        if found.contains("wget2") { try wget2(urls) }
        if found.contains("dlt") { try dlt() }
        guard found.contains("nginx") else { return }
        let files = try plainFiles(paths)
        try stage.servers.serveFiles(files)
        try curl(paths.map { "http://127.0.0.1:\(stage.servers.nginxPort)\($0)" }, .nginx)
        let home = try stage.sync("first sync by the tree", .cold, server: .nginx)
        try stage.remove(home: stage.sync("nothing changed", .warm, from: home, server: .nginx))
        try stage.remove(home: home)
        if found.contains("rclone") { try rclone() }
        stage.servers.stopFiles()
        try FileManager.default.removeItem(atPath: files)
    }

    /// The one request that proves a mirror equal, without what asks for it.
    func digest() throws {
        guard stage.tools.found.contains("curl") else { return }
        let url = "http://127.0.0.1:\(stage.servers.port)\(root)/partner/\(stage.partner)/digest?prefix="
        let name = "the digest of everything, by curl", output = "\(folder)/digest"
        try stage.measure(name, runs: stage.options.runs(at: stage.size)) {
            let end = try stage.children.run("curl", ["-sS", "--fail", url], output: output)
            guard end.status == 0 else { throw stage.failure("curl (the digest)", end, output) }
            return Measured(
                what: name, tool: "digest", phase: .warm, artworks: stage.size, seconds: end.seconds,
                cpu: end.cpu, peak: Double(end.peak) / 1_048_576, requests: 1)
        }
    }

    private var root: String { "/\(stage.partner)/api/v1" }

    /// The paths and queries of all canonical URLs, lists included: those of a snapshot.
    private func canonicalPaths() throws -> [String] {
        let output = "\(folder)/snapshot"
        let url = "http://127.0.0.1:\(stage.servers.port)\(root)/partner/\(stage.partner)/snapshot"
        let end = try stage.children.run("curl", ["-sS", "--fail", url], output: output)
        guard end.status == 0 else { throw stage.failure("curl (the snapshot)", end, output) }
        let start = "{\"url\":\""
        var paths: [String] = []
        try LineFile.read(output) { line in
            guard line.hasPrefix(start) else { return }
            let path = line.dropFirst(start.count).prefix { $0 != "\"" }
            if !path.contains("\\") { paths.append(root + path) }
        }
        try FileManager.default.removeItem(atPath: output)
        return paths
    }

    /// What a first sync by the tree asks for, as far as there is an answer: the base besides, and of the partner's own lists
    /// those with ETags.
    private func asked(_ paths: [String]) -> [String] {
        let own = Set(
            ["artworks", "artists", "shows", "albums", "locations"]
                .map { "\(root)/partner/\(stage.partner)/\($0)?ids=1&size=all" })
        return [root] + paths.map { own.contains($0) ? "\($0)&validators=1" : $0 }
    }

    /// - Parameter keeping: whether the answers are kept, each as a file, or thrown away.
    private func curl(_ urls: [String], _ server: Measured.Server, keeping: Bool = false) throws {
        let list = "\(folder)/curl.config", output = "\(folder)/curl", kept = "\(folder)/kept"
        let file = try LineFile(writing: list)
        for (number, url) in urls.enumerated() {
            file.write("url = \"\(url)\"\noutput = \"\(keeping ? "\(kept)/\(number)" : "/dev/null")\"")
        }
        try file.close()
        let name = "curl --parallel --parallel-max 16" + (keeping ? ", into files" : "")
        try stage.measure(name, runs: stage.options.runs(at: stage.size)) {
            if keeping {
                try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
            }
            defer { if keeping { try? FileManager.default.removeItem(atPath: kept) } }
            let end = try stage.children.run(
                "curl",
                [
                    "--silent", "--show-error", "--parallel", "--parallel-max", "16", "--write-out",
                    "%{http_code} %{size_download}\\n", "--config", list,
                ], output: output)
            guard end.status == 0 else { throw stage.failure("curl", end, output) }
            var bytes = 0, answers = 0
            try LineFile.read(output) { line in
                let parts = line.split(separator: " ")
                guard parts.count == 2, parts[0] == "200", let size = Int(parts[1]) else { return }
                bytes += size
                answers += 1
            }
            guard answers == urls.count else {
                throw MeasuredProcesses.Failure(
                    sentence: "curl got \(answers) of \(urls.count) URLs from \(server.rawValue).")
            }
            return measurement(
                name, keeping ? "curl, into files" : Comparison.curl, .cold, server, end, answers, bytes)
        }
    }

    /// Every answer as a file, called as nginx looks for it. The base is not among them: this server has no extensions.
    private func plainFiles(_ paths: [String]) throws -> String {
        let files = "\(folder)/files", list = "\(folder)/files.config"
        let file = try LineFile(writing: list)
        for path in paths {
            let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
            guard let plain = parts.first?.removingPercentEncoding, !plain.contains(#/["\\\n\0]|\.\./#) else {
                throw MeasuredProcesses.Failure(sentence: "\(path) can't be the path of a file.")
            }
            let query = parts.count > 1 ? "?\(parts[1])" : ""
            file.write(
                "url = \"http://127.0.0.1:\(stage.servers.port)\(path)\"\noutput = \"\(files)\(plain)\(query).json\""
            )
        }
        try file.close()
        let end = try stage.children.run(
            "curl",
            ["-sS", "--fail", "--create-dirs", "--parallel", "--parallel-max", "16", "--config", list],
            output: "\(folder)/curl")
        guard end.status == 0 else { throw stage.failure("curl (plain files)", end, "\(folder)/curl") }
        return files
    }

    private func wget2(_ urls: [String]) throws {
        let list = "\(folder)/urls", target = "\(folder)/wget2"
        let file = try LineFile(writing: list)
        for url in urls { file.write(url) }
        try file.close()
        try twice("wget2 --timestamping", "wget2", .mirror, requests: urls.count) {
            (
                "wget2",
                [
                    "--quiet", "--timestamping", "--max-threads", "16", "--force-directories", "-P", target,
                    "-i", list,
                ]
            )
        }
        try FileManager.default.removeItem(atPath: target)
    }

    private func rclone() throws {
        let target = "\(folder)/rclone"
        try twice("rclone copy", "rclone", .nginx, requests: nil) {
            (
                "rclone",
                [
                    "copy", ":http:", target, "--http-url", "http://127.0.0.1:\(stage.servers.nginxPort)/",
                    "--transfers", "16", "--checkers", "16", "--config", "/dev/null", "--quiet",
                ]
            )
        }
        try FileManager.default.removeItem(atPath: target)
    }

    private func dlt() throws {
        let target = "\(folder)/dlt"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let script = DltPipeline(
            base: "\(stage.base(onPort: stage.servers.port))/api/v1/", partner: stage.partner, folder: target
        ).script
        try twice("dlt, rest_api to SQLite", "dlt", .mirror, requests: nil) { ("python3", ["-c", script]) }
        try FileManager.default.removeItem(atPath: target)
    }

    /// From nothing, and again.
    private func twice(
        _ what: String, _ tool: String, _ server: Measured.Server, requests: Int?,
        _ command: () -> (String, [String])
    ) throws {
        for (name, phase) in [(what, Measured.Phase.cold), ("\(what), again", .warm)] {
            try stage.measure(name, runs: 1) {
                let (program, arguments) = command()
                let end = try stage.children.run(program, arguments, output: "\(folder)/tool")
                guard end.status == 0 else { throw stage.failure(tool, end, "\(folder)/tool") }
                return measurement(name, tool, phase, server, end, requests, nil)
            }
        }
    }

    private func measurement(
        _ what: String, _ tool: String, _ phase: Measured.Phase, _ server: Measured.Server,
        _ end: ChildProcess.Ending, _ requests: Int?, _ bytes: Int?
    ) -> Measured {
        Measured(
            what: what, tool: tool, phase: phase, server: server, artworks: stage.size, seconds: end.seconds,
            cpu: end.cpu, peak: Double(end.peak) / 1_048_576, requests: requests, bytes: bytes)
    }
}
