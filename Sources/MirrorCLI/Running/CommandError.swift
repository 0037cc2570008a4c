/// Why a command could not do what was asked, in one sentence that says what to do.
struct CommandError: Error, CustomStringConvertible {
    enum Code: Sendable, Hashable {
        /// There is no mirror, or it isn't clear which is meant.
        case noMirror, severalMirrors
        /// The mirror has no such object.
        case notFound
        /// Several albums have the name that was given.
        case severalAlbums
        /// A secret, or a file of certificates, can't be read, kept or used.
        case secret
        /// The system lets this process open too few files, or begin too few threads.
        case limits
        /// Results, or a file that was asked for, can't be written.
        case output
        /// The built-in catalogue could not be made ready.
        case demo
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { message }
}
