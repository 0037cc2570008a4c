#if LIBFUZZER
    import ArgumentParser
    import Foundation
    import MirrorSimulation

    /// Runs a target under libFuzzer, which finds inputs by the code that they cover.
    ///
    /// Only `.ci/fuzz` builds it: it needs the toolchain's libFuzzer, and all modules compiled with coverage
    /// instrumentation.
    struct LibFuzzer: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "libfuzzer", shouldDisplay: false)

        @Argument(
            parsing: .captureForPassthrough,
            help: "A target, a folder for inputs, and libFuzzer's own arguments.")
        var arguments: [String]

        func run() throws {
            guard let target = Self.target, let folder = arguments.dropFirst().first else {
                throw ValidationError("libfuzzer needs a target and a folder.")
            }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (index, seed) in target.seeds.enumerated() {
                try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed\(index)"))
            }
            let words = "\(folder).words"
            try target.words.filter { !$0.isEmpty }.map { "\"\($0.fuzzText)\"\n" }.joined()
                .write(toFile: words, atomically: true, encoding: .utf8)
            var texts =
                (["fuzz", "-dict=\(words)", folder] + arguments.dropFirst(2)).map { strdup($0) } + [nil]
            var count = CInt(texts.count - 1)
            let status = texts.withUnsafeMutableBufferPointer { buffer in
                var pointer = buffer.baseAddress
                return runDriver(&count, &pointer) { bytes, count in
                    guard let target = LibFuzzer.target else { return 0 }
                    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
                    do throws(FuzzFinding) {
                        try target.check(input)
                    } catch {
                        fatalError("\(error.sentence) \"\(input.fuzzText)\"")
                    }
                    return 0
                }
            }
            if status != 0 { throw ExitCode(status) }
        }

        private static let target = FuzzTarget.all.first {
            $0.name == CommandLine.arguments.dropFirst(2).first
        }
    }

    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt
#endif
