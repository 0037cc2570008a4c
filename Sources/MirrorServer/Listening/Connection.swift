import NIOCore

/// A connection, as far as it matters to the others of its server. Used on their event loop alone.
///
/// What is done for each request is a handful of stores; no clock is read.
final class Connection {
    private let all: OpenConnections
    /// While it is open.
    private var channel: (any Channel)?
    private var requests = RequestsUnderWay()
    private var head = HeadWatch()
    private var sending = SendWatch()
    /// How many parts of answers were written.
    private var parts = 0

    /// When it became idle, as ``OpenConnections`` counts.
    var idleSince: UInt64 = 0
    /// Where it is among those that are open.
    var place: Int?

    init(among all: OpenConnections) { self.all = all }

    /// Whether no request is under way.
    var isIdle: Bool { requests.isEmpty }

    /// Whether the next answer ends with its head.
    var isNextHeadOnly: Bool { requests.isNextHeadOnly }

    /// Whether the client has not taken everything yet that was written.
    var isSending: Bool { unsent > 0 }

    /// In bytes.
    private var unsent: Int {
        (try? channel?.syncOptions?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
    }

    /// It is closed at once if there is no room for it.
    func opened(_ channel: any Channel) {
        self.channel = channel
        if !all.add(self, on: channel.eventLoop) { close() }
    }

    func closed() {
        all.remove(self)
        channel = nil
    }

    func close() { channel?.close(promise: nil) }

    func headCame(isHeadOnly: Bool) {
        requests.begin(isHeadOnly: isHeadOnly)
        head.headCame()
    }

    func requestEnded() { head.requestEnded() }

    func readCompleted() { head.readCompleted() }

    func inputEnded() { head.inputEnded() }

    /// A part of an answer, or more, was written.
    func wrote() { parts &+= 1 }

    /// An answer was written to its end.
    func answered() {
        guard requests.end(), requests.isEmpty else { return }
        idleSince = all.nextTurn()
    }

    /// Looks after a head that the client owes, and after what it doesn't take.
    ///
    /// - Returns: whether it has waited long enough for either.
    func isOverdue() -> Bool {
        let owesHead = head.isOverdue(isBusy: !isIdle), unsent = unsent
        return sending.isStalled(unsent: unsent, parts: parts) || owesHead && unsent == 0
    }
}
