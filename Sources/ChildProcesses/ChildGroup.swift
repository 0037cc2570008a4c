/// Whom a terminal counts a child among.
package enum ChildGroup: Sendable {
    /// A process group of its own: nothing that is sent from the terminal reaches it, and it can't ask there. So a run that is
    /// stopped ends what it has begun.
    case own
    /// This process's group: it may ask a person on the terminal, and is sent what is sent from there, such as Ctrl-C.
    case shared
    /// A session of its own, whose terminal is the first that it opens.
    case session
}
