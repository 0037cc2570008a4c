import ArgumentParser

struct ManCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man", abstract: "Print the manual page.",
        discussion: "Read it with: mirror man > mirror.1 && man ./mirror.1")

    @OptionGroup var home: HomeOptions

    func run() throws {
        let output = LineOutput.standard()
        for line in try ManualPage.current().lines { output.line(line) }
        try output.finish()
    }
}
