import ArgumentParser
import OperationTree

/// Measures the overhead of the engine: items that do nothing, in one list and in a thousand, in both modes.
struct TreeBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Measure how fast a tree runs trivial items, in both modes.")

    @Argument var items = 1_000_000

    func run() async {
        print("scenario                        items    seconds   µs/item   peak MiB")
        let flat = Tree("flat", CountingStep())
        let side = max(1, Int(Double(items).squareRoot()))
        let twoLevels = Tree("outer", CountingStep()) { Node("inner", FanOutStep(width: side)) }
        let shared = Node("shared", FanOutStep(width: side))
        let twoParents = Tree("root", CountingStep()) {
            Node("a", PassingStep()) { shared }
            Node("b", PassingStep()) { shared }
        }
        for (mode, name) in [(RunMode.synchronous, "synchronous"), (.concurrent, "concurrent")] {
            await measure("one list, \(name)", items: items, Run(flat, input: items, mode: mode))
            await measure(
                "lists of \(side), \(name)", items: side * side, Run(twoLevels, input: side, mode: mode))
            await measure(
                "shared node, \(name)", items: 2 * side * side, Run(twoParents, input: side, mode: mode))
        }
    }

    private func measure(_ name: String, items: Int, _ run: Run<Int, Void>) async {
        let start = ContinuousClock.now
        let outcome = await run.execute()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard outcome.isComplete else { return print("\(name): incomplete, \(outcome.state)") }
        print(
            "\(name.padded(28)) \(String(items).padded(9, left: true)) "
                + "\(seconds.text(3).padded(9, left: true)) "
                + "\((seconds * 1e6 / Double(items)).text(3).padded(9, left: true)) "
                + "\(PeakMemory.mebibytes.text(1).padded(10, left: true))")
    }
}

/// Expands n to 0..<n.
private struct CountingStep: Step {
    func expand(_ input: Int, in context: StepContext<Void>) async throws -> Expansion<Int> {
        Expansion(0..<input)
    }
    func perform(_ item: Int, in context: StepContext<Void>) async throws -> [Int] { [item] }
    func identity(of item: Int) -> String { String(item) }
}

/// Expands n to n × width ..< (n + 1) × width.
private struct FanOutStep: Step {
    let width: Int

    func expand(_ input: Int, in context: StepContext<Void>) async throws -> Expansion<Int> {
        Expansion(input * width..<(input + 1) * width)
    }
    func perform(_ item: Int, in context: StepContext<Void>) async throws -> [Never] { [] }
    func identity(of item: Int) -> String { String(item) }
}

/// Passes its input on.
private struct PassingStep: Step {
    func expand(_ input: Int, in context: StepContext<Void>) async throws -> Expansion<Int> { .one(input) }
    func perform(_ item: Int, in context: StepContext<Void>) async throws -> [Int] { [item] }
    func identity(of item: Int) -> String { String(item) }
}

extension String {
    func padded(_ width: Int, left: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return left ? space + self : self + space
    }
}

extension Double {
    /// With a fixed number of decimals.
    func text(_ decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((self * Double(scale)).rounded())
        guard decimals > 0 else { return String(scaled) }
        return "\(scaled / scale)." + String(scaled % scale).leftZeros(decimals)
    }
}

extension String {
    fileprivate func leftZeros(_ width: Int) -> String { String(repeating: "0", count: width - count) + self }
}
