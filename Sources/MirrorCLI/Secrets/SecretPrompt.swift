import Foundation

/// Asks for a secret: on a terminal without showing what is typed, else from a line of standard input.
enum SecretPrompt {
    /// - Throws: ``CommandError`` if nothing was given.
    static func ask(_ what: String) throws -> String {
        let isTerminal = isatty(STDIN_FILENO) == 1
        var before = termios()
        let hides = isTerminal && tcgetattr(STDIN_FILENO, &before) == 0
        if hides {
            var hidden = before
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        }
        if isTerminal { _ = Descriptor.send(Array("\(what): ".utf8), to: STDERR_FILENO) }
        let line = readLine(strippingNewline: true)
        if hides {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            _ = Descriptor.send([0x0A], to: STDERR_FILENO)
        }
        guard let line, !line.isEmpty else {
            throw CommandError(.secret, "No \(what.lowercased()) was given, so nothing was stored.")
        }
        return line
    }
}
