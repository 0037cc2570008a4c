import Logging

/// Sends log lines to the screen, above the progress.
struct ScreenLog: LogHandler {
    let screen: Screen
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning

    init(_ screen: Screen) { self.screen = screen }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        screen.line("mirror: \(event.level): \(event.message.description.printable)")
    }
}
