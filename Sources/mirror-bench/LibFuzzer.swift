#if LIBFUZZER
    import Foundation
    import MirrorSimulation

    /// The same doors under libFuzzer, which finds its way into them by what it covers. Built by `.ci/fuzz` alone: it
    /// takes the toolchain's libFuzzer, and every module compiled with marks for it.
    enum LibFuzzer {
        /// - Parameter arguments: the door's name, a folder for inputs, then libFuzzer's own.
        static func main(_ arguments: ArraySlice<String>) throws -> Int32 {
            guard let door, let folder = arguments.dropFirst().first else { return 64 }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (index, seed) in door.seeds.enumerated() {
                try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed\(index)"))
            }
            let words = "\(folder).words"
            try door.words.filter { !$0.isEmpty }.map { "\"\($0.fuzzText)\"\n" }.joined()
                .write(toFile: words, atomically: true, encoding: .utf8)
            var texts =
                (["fuzz", "-dict=\(words)", folder] + arguments.dropFirst(2)).map { strdup($0) } + [nil]
            var count = CInt(texts.count - 1)
            return texts.withUnsafeMutableBufferPointer { buffer in
                var pointer = buffer.baseAddress
                return run(&count, &pointer) { bytes, count in
                    guard let door = LibFuzzer.door else { return 0 }
                    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
                    do throws(FuzzFinding) {
                        try door.enter(input)
                    } catch {
                        fatalError("\(error.sentence) \"\(input.fuzzText)\"")
                    }
                    return 0
                }
            }
        }

        private static let door = FuzzDoor.all.first { $0.name == CommandLine.arguments.dropFirst(2).first }
    }

    @_silgen_name("LLVMFuzzerRunDriver")
    private func run(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt
#endif
