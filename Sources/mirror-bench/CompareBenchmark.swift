import Foundation
import MirrorSimulation

/// The command `mirror` beside what else copies the same URLs: time, processor and memory of each as a process of its own.
struct CompareBenchmark {
    let options: CompareOptions

    /// - Returns: the exit code.
    static func main(_ arguments: ArraySlice<String>) -> Int32 {
        do {
            try CompareBenchmark(options: CompareOptions(arguments)).run()
            return 0
        } catch let problem as CompareOptions.Problem {
            print(problem.sentence)
            return 64
        } catch {
            let failure = (error as? MeasuredProcesses.Failure)?.sentence
            tell("mirror-bench: \(failure ?? "\(error)")")
            return 1
        }
    }

    static func tell(_ line: String) { StandardError.write(line + "\n") }

    private func run() throws {
        let children = MeasuredProcesses()
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "mirror-compare-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let signals = children.endWithThis { try? FileManager.default.removeItem(atPath: folder) }
        defer {
            children.killAll()
            withExtendedLifetime(signals) {}
            try? FileManager.default.removeItem(atPath: folder)
        }
        var comparison = Comparison(machine: Self.machine)
        let tools = try InstalledTools(options.tools, children, folder: folder)
        comparison.notes = tools.missing
        for size in options.catalogue == nil ? options.sizes : [0] {
            let stage = CompareStage(
                options, children, tools: tools, folder: "\(folder)/\(size)", size: size)
            do {
                defer { stage.end() }
                try stage.run()
            }
            comparison.measurements += stage.measurements
            comparison.notes += stage.notes
        }
        try write(comparison)
    }

    private func write(_ comparison: Comparison) throws {
        print(comparison.machine)
        for line in ComparisonTable(comparison).lines { print(line) }
        for note in comparison.notes { print(note) }
        if let file = options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(comparison).write(to: URL(filePath: file), options: .atomic)
        }
        if let file = options.svg {
            try Data(ComparisonPlot(comparison).svg.utf8).write(to: URL(filePath: file), options: .atomic)
        }
    }

    private static var machine: String {
        let process = ProcessInfo.processInfo
        let memory = (Double(process.physicalMemory) / 1_073_741_824).text(0)
        return
            "\(process.activeProcessorCount) processors, \(memory) GiB of memory, \(process.operatingSystemVersionString)"
    }
}
