import ArgumentParser

struct OptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options", abstract: "List the features that are off by default.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.printing { output in
            guard !self.output.json else { return output.summary(("options", 0)) }
            output.line("No feature is off by default in this version.")
        }
    }
}
