import ArgumentParser
import ChildProcesses
import Foundation
import MirrorSimulation

/// A child process that runs inputs. If an input ends it, it is started again with the next input.
struct FuzzProcess {
    private(set) var tallies: [FuzzTally] = []
    private(set) var failures: [FuzzTrial.Failure] = []
    private var order: FuzzOrder
    private let folder: String
    private var process: ChildProcess?
    private var seen: (FuzzJournal.Position, ContinuousClock.Instant)?
    private var hasHung = false

    init(_ order: FuzzOrder, folder: String) throws {
        self.order = order
        self.folder = folder
        try start()
    }

    var isRunning: Bool { process != nil }

    private var journal: String { "\(folder)/journal\(order.part)" }
    private var output: String { "\(folder)/output\(order.part)" }

    private mutating func start() throws {
        guard !order.targets.isEmpty else { return }
        try Data(count: FuzzJournal.length).write(to: URL(fileURLWithPath: journal))
        let order = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        process = try ChildProcess(
            ChildProcess.thisProgram, ["part-of-fuzz", order, journal],
            // Traps are expected, and a backtrace for each would only take time.
            environment: ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 },
            output: .file(output), group: .shared)
        (seen, hasHung) = (nil, false)
    }

    /// Checks the process. If it hangs, it is killed; if it has died, it is started again with the next input.
    mutating func poll() throws {
        guard let process else { return }
        let position = FuzzJournal.read(journal)
        if let ending = process.endingIfEnded { return try end(ending, position) }
        if let seen, seen.0 == position {
            guard position.isBusy, ContinuousClock.now - seen.1 > FuzzBenchmark.limit, !hasHung else {
                return
            }
            hasHung = true
            process.send(SIGKILL)
        } else {
            seen = (position, .now)
        }
    }

    private mutating func end(_ ending: ChildProcess.Ending, _ position: FuzzJournal.Position) throws {
        process = nil
        try take(Data(contentsOf: URL(fileURLWithPath: output)))
        if ending.status == 0 { return }
        guard position.target < order.targets.count else {
            throw CocoaError(
                .executableLoad,
                userInfo: [NSDebugDescriptionErrorKey: "A fuzzing process ended before its first input."])
        }
        let name = order.targets[position.target]
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { return }
        let trial = FuzzTrial(target, seed: order.seed, lines: try FuzzCorpus.lines(order.corpus))
        let sentence =
            hasHung
            ? "No input takes longer than \(FuzzBenchmark.limit)."
            : "No input ends the process (status \(ending.status))."
        failures.append(
            FuzzTrial.Failure(
                target: name, seed: order.seed, number: position.number, sentence: sentence,
                input: trial.input(position.number)))
        order.targets.removeFirst(position.target)
        order.next = position.number + UInt64(order.parts)
        if failures.count(where: { $0.target == name }) >= FuzzBenchmark.mostFailures {
            order.targets.removeFirst()
            order.next = nil
        }
        try start()
    }

    private mutating func take(_ output: Data) throws {
        for line in output.split(separator: 0x0A) {
            // The last line of a process that died may be incomplete.
            guard let event = try? JSONDecoder().decode(FuzzEvent.self, from: line) else { continue }
            switch event {
            case .failure(let failure): failures.append(failure)
            case .tally(let tally): tallies.append(tally)
            }
        }
    }
}

/// The command that the child process runs.
struct FuzzPart: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "part-of-fuzz", shouldDisplay: false)

    @Argument(help: "A `FuzzOrder` as JSON.") var order: String
    @Argument(help: "The journal's path.") var journal: String

    func run() throws {
        let order = try JSONDecoder().decode(FuzzOrder.self, from: Data(order.utf8))
        let journal = try FuzzJournal(journal), lines = try FuzzCorpus.lines(order.corpus)
        for (index, name) in order.targets.enumerated() {
            guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
                throw ValidationError("There is no target \(name).")
            }
            let trial = FuzzTrial(target, seed: order.seed, lines: lines)
            var number = (index == 0 ? order.next : nil) ?? UInt64(order.part)
            var tally = FuzzTally(target: name), reported = 0
            let start = ContinuousClock.now, end = order.seconds.map { start + .seconds($0) }
            func report() throws {
                tally.seconds = (ContinuousClock.now - start) / .seconds(1)
                try write(.tally(tally))
            }
            while number < order.runs ?? .max, reported < FuzzBenchmark.mostFailures {
                if let end, number / UInt64(order.parts) % 64 == 0, ContinuousClock.now > end { break }
                journal.note(target: index, number: number)
                if let failure = trial.run(number) {
                    reported += 1
                    try write(.failure(failure))
                }
                tally.inputs += 1
                number += UInt64(order.parts)
            }
            journal.markIdle()
            try report()
        }
    }

    private func write(_ event: FuzzEvent) throws {
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(event) + [0x0A])
    }
}

/// The current input of a child process, in memory that is mapped to a file. It can be read however the process ends.
struct FuzzJournal {
    static let length = 24

    struct Position: Equatable {
        var target = 0
        var number: UInt64 = 0
        var isBusy = false
    }

    private let memory: UnsafeMutablePointer<UInt64>

    init(_ path: String) throws {
        let descriptor = open(path, O_RDWR)
        let memory =
            descriptor < 0
            ? MAP_FAILED : mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory, memory != MAP_FAILED else { throw POSIXError(.EIO) }
        close(descriptor)
        self.memory = memory.bindMemory(to: UInt64.self, capacity: 3)
    }

    func note(target: Int, number: UInt64) {
        memory[0] = UInt64(target)
        memory[1] = number
        memory[2] = 1
    }

    func markIdle() { memory[2] = 0 }

    static func read(_ path: String) -> Position {
        guard let data = FileManager.default.contents(atPath: path), data.count == length else {
            return Position()
        }
        return data.withUnsafeBytes { bytes in
            let words = (0..<3).map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) }
            return Position(target: Int(words[0]), number: words[1], isBusy: words[2] == 1)
        }
    }
}
