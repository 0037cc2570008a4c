import ArgumentParser

/// How long a sync waits for a server in trouble.
struct WaitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The longest to wait for a server in trouble, all waits together: \(DurationArgument.form). Default: 1h.",
            valueName: "time"),
        transform: { try DurationArgument.parse($0) })
    var maxWait: Duration?

    @Flag(help: "Don't wait for a server in trouble: what fails has failed.")
    var failFast = false
}
