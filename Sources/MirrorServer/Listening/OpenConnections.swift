import NIOCore

/// The open connections of a server: never more than so many, and none of a client that doesn't say what it wants, or doesn't
/// take what it asked for. Used on their event loop alone.
///
/// Each takes a descriptor, and where these run out no file can be opened and nobody new is heard. So one beyond the limit
/// is served in place of the one that has been idle longest; only where none is idle it is closed itself.
final class OpenConnections {
    /// So often it is looked who owes a head, and who has stopped taking an answer. Together with ``HeadWatch/patience``: a
    /// head has to be there within 30 to 40 seconds.
    static let interval = TimeAmount.seconds(10)
    /// Among so many of those that have been idle longest one is looked for that can go.
    private static let tries = 8

    private let limit: Int
    private var connections: [Connection] = []
    private var turn: UInt64 = 0
    private var isWatching = false

    init(limit: Int) { self.limit = limit }

    var count: Int { connections.count }

    /// The next of the numbers by which it is told what was before what, which takes less than a clock.
    func nextTurn() -> UInt64 {
        turn += 1
        return turn
    }

    /// - Returns: whether there is room for it.
    func add(_ connection: Connection, on loop: any EventLoop) -> Bool {
        guard connections.count < limit || makeRoom() else { return false }
        connection.place = connections.count
        connection.idleSince = nextTurn()
        connections.append(connection)
        watch(on: loop)
        return true
    }

    /// Idempotent.
    func remove(_ connection: Connection) {
        guard let place = connection.place else { return }
        connection.place = nil
        let last = connections.removeLast()
        guard last !== connection else { return }
        connections[place] = last
        last.place = place
    }

    /// Closes the one that has been idle longest. One whose client is still taking its last answer counts as idle from now
    /// on only.
    ///
    /// - Returns: `false` if there is none.
    private func makeRoom() -> Bool {
        for _ in 0..<Self.tries {
            guard let longest = longestIdle else { return false }
            guard longest.isSending else {
                close(longest)
                return true
            }
            longest.idleSince = nextTurn()
        }
        return false
    }

    private var longestIdle: Connection? {
        connections.lazy.filter { $0.isIdle }.min { $0.idleSince < $1.idleSince }
    }

    /// There is room at once, whenever the event loop tells of it.
    private func close(_ connection: Connection) {
        remove(connection)
        connection.close()
    }

    /// Looks as long as any are open.
    private func watch(on loop: any EventLoop) {
        guard !isWatching, !connections.isEmpty else { return }
        isWatching = true
        loop.assumeIsolated().scheduleTask(in: Self.interval) { [self] in
            isWatching = false
            look()
            watch(on: loop)
        }
    }

    private func look() {
        for connection in connections where connection.isOverdue() {
            close(connection)
        }
    }
}
