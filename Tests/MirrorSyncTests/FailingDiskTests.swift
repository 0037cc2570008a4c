import Foundation
import MirrorTesting
import Testing

@testable import MirrorSimulation

/// Runs of the built program on a full, read-only or damaged disk.
@Suite("Failing disks") struct FailingDiskTests {
    @Test(.enabled(if: BuiltProgram.isBuilt, "The binary is not built beside the tests."))
    func aRunOnAFailingDiskEndsWithAMessageAndIsRepairedByTheNextRun() async throws {
        let folder = try TemporaryFolder()
        let ends = try await OffloadedThread.run { try Self.run(under: folder.file("stage")) }
        #expect(ends.full.status == 1 && !ends.full.wasKilled)
        #expect(ends.full.text.contains("Check its free space") || ends.full.text.contains("is full"))
        #expect(ends.full.text.split(separator: "\n").count == 1)
        #expect([1, 3].contains(ends.gone.status) && !ends.gone.wasKilled)
        #expect(ends.gone.text.contains("mirror: "))
    }

    @Test(
        .enabled(if: BuiltProgram.isBuilt, "The binary is not built beside the tests."),
        .enabled(if: SmallDisk.isPossible, "No file system can be created on this machine."))
    func aFirstSyncOnAFullOrReadOnlyDiskLosesNothing() async throws {
        let folder = try TemporaryFolder()
        let ends = try await OffloadedThread.run { try Self.filling(under: folder.file("stage")) }
        for (end, sentences) in zip(ends, [["is full", "Check the disk's space"], ["can't be written"]]) {
            #expect(end.status == 1 && !end.wasKilled)
            let last = end.text.split(separator: "\n").last ?? ""
            #expect(last.hasPrefix("mirror: ") && sentences.contains { last.contains($0) }, "\(end.text)")
        }
    }

    /// The existing data stays, and the same command succeeds when there is enough disk space.
    @Test(
        .enabled(if: BuiltProgram.isBuilt, "The binary is not built beside the tests."),
        .enabled(if: SmallDisk.isPossible, "No file system can be created on this machine."))
    func aFullOrReadOnlyDiskLosesNoExistingData() async throws {
        let folder = try TemporaryFolder()
        let ends = try await OffloadedThread.run { try Self.changing(under: folder.file("stage")) }
        for (kind, sealed, full) in ends {
            let last = full[0].text.split(separator: "\n").last ?? ""
            #expect(full[0].status == 1 && last.hasPrefix("mirror: ") && last.contains("is full"), "\(kind)")
            #expect([0, 1].contains(full[1].status) && !full[1].wasKilled, "\(kind): \(full[1].text)")
            let why = kind == .migration ? "was made by an earlier version" : "can't be written"
            #expect(sealed.status == 1 && sealed.text.contains(why), "\(kind): \(sealed.text)")
        }
    }

    private static func changing(under folder: String) throws -> [(
        KillKind, MirrorProgram.End, full: [MirrorProgram.End]
    )] {
        let stage = try KillEnvironment(
            MirrorProgram(path: BuiltProgram.path, environment: BuiltProgram.environment), folder: folder,
            artworks: 5, formats: "square",
            changes: 5_000)
        let diskPath = "\(folder)/disk"
        try FileManager.default.createDirectory(atPath: diskPath, withIntermediateDirectories: true)
        let disk = try SmallDisk(diskPath, megabytes: 80)
        defer { try? disk.end() }
        let kinds: [KillKind] = [.update, .importChanges, .restore, .repair, .migration]
        let ends = try kinds.enumerated().map { number, kind in
            let home = "\(diskPath)/\(number)"
            try stage.copy(stage.home(for: kind), to: home)
            stage.route(kind)
            let command = KillTrial.command(stage, kind, home)
            try disk.seal(true)
            let sealed = try stage.program.run(command)
            try disk.seal(false)
            // The disk is full at the beginning, or becomes full during the command unless that has ended before.
            let full = try [0, 0.1].map { seconds in
                if seconds == 0 { disk.fill() }
                let running = try stage.program.start(command), filled = DispatchGroup()
                if seconds > 0 {
                    filled.enter()
                    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
                        disk.fill()
                        filled.leave()
                    }
                }
                let end = try running.wait()
                filled.wait()
                try disk.makeRoom()
                return end
            }
            try stage.succeed(command)
            try stage.succeed(["verify", KillCatalogue.partner, "--read-data", "all", "--home", home])
            try FileManager.default.removeItem(atPath: home)
            return (kind, sealed, full)
        }
        try disk.end()
        try stage.end()
        return ends
    }

    private static func filling(under folder: String) throws -> [MirrorProgram.End] {
        let stage = try KillEnvironment(
            MirrorProgram(path: BuiltProgram.path, environment: BuiltProgram.environment), folder: folder,
            artworks: 2, formats: "square", hasLaterCatalogue: false)
        let partner = KillCatalogue.partner, home = "\(folder)/disk"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let disk = try SmallDisk(home, megabytes: 80)
        defer { try? disk.end() }
        stage.route(.firstSync)
        stage.proxy.onAnswer(30) { disk.fill() }
        let full = try stage.program.run(stage.sync(home))
        try disk.makeRoom()
        try disk.seal(true)
        let sealed = try stage.program.run(stage.sync(home))
        try disk.seal(false)
        try stage.succeed(stage.sync(home))
        try stage.succeed(["verify", partner, "--read-data", "all", "--home", home])
        try disk.end()
        try stage.end()
        return [full, sealed]
    }

    private static func run(
        under folder: String
    ) throws -> (full: MirrorProgram.End, gone: MirrorProgram.End) {
        let stage = try KillEnvironment(
            MirrorProgram(path: BuiltProgram.path, environment: BuiltProgram.environment), folder: folder,
            artworks: 2, formats: "square", hasLaterCatalogue: false)
        let partner = KillCatalogue.partner

        // The shell limits the size of every file to 100 kB.
        let small = "\(folder)/small", importing = ["import", stage.folder(of: .first), "--home", small]
        let limited = ["-c", "ulimit -f 200; exec \"$0\" \"$@\"", BuiltProgram.path] + importing
        let full = try MirrorProgram(path: "/bin/sh", environment: BuiltProgram.environment).run(limited)
        try stage.succeed(importing)
        try stage.succeed(["verify", partner, "--home", small])

        // During the run, a file replaces the folder of all media.
        let home = "\(folder)/gone", media = "\(home)/\(partner)/media"
        stage.route(.firstSync)
        stage.proxy.onAnswer(30) { Self.putFile(inPlaceOf: media) }
        let gone = try stage.program.run(stage.sync(home))
        try FileManager.default.removeItem(atPath: media)
        try stage.succeed(stage.sync(home))
        try stage.succeed(["verify", partner, "--repair", "--read-data", "all", "--home", home])
        try stage.succeed(["verify", partner, "--read-data", "all", "--home", home])
        try stage.end()
        return (full, gone)
    }

    /// Replaces a folder by a file. The run creates a missing folder again, so several attempts may be necessary.
    private static func putFile(inPlaceOf folder: String) {
        for round in 0..<10_000 {
            _ = rename(folder, "\(folder).\(round)")
            let file = open(folder, O_CREAT | O_EXCL | O_WRONLY, 0o600)
            if file >= 0 {
                close(file)
                return
            }
        }
        Issue.record("The run was always faster.")
    }
}
