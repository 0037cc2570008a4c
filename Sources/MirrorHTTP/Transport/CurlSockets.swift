import CCurl

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// The sockets and the timer that libcurl has named, all waited for in one `poll(2)`; then libcurl is called for
/// those alone that are ready.
///
/// Belongs to the loop's thread, on which libcurl changes the list too, from within any of its calls. Must live
/// longer than the multi handle.
final class CurlSockets {
    private struct Ready {
        let socket: Int32
        /// `CURL_CSELECT_…`; 0 once libcurl has dropped the socket, whose number may be a new one's by now.
        var events: Int32
    }

    /// So many sockets, and the wake pipe, are worth a pause before they are waited for.
    private static let many = 4

    let wakePipe: WakePipe
    private let time: LoopTime
    /// The first is the wake pipe's.
    private var polled: [pollfd]
    private var ready: [Ready] = []
    /// When libcurl wants to be called though no socket is ready.
    private(set) var due: TransferClock.Instant?

    init(_ wakePipe: WakePipe, time: LoopTime) {
        self.wakePipe = wakePipe
        self.time = time
        polled = [pollfd(fd: wakePipe.descriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// Makes libcurl name its sockets and its timer here.
    func attach(to multi: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        ccurl_multi_set_socket_function(multi) { _, socket, events, context, _ in
            CurlSockets.at(context)?.watch(socket, Int(events))
            return 0
        }
        ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        ccurl_multi_set_timer_function(multi) { _, milliseconds, context in
            CurlSockets.at(context)?.setTimer(milliseconds)
            return 0
        }
    }

    /// Waits until a socket is ready, the wake pipe is written to or the time has passed; a signal ends it early.
    func wait(milliseconds: Int32) {
        // While much is under way, whoever is to answer or to ask goes first, if it only lacks a processor: then several
        // sockets are ready at once, and fewer threads have to be woken. Where processors are free it costs next to nothing.
        if polled.count > Self.many { sched_yield() }
        var left = polled.withUnsafeMutableBufferPointer { entries in
            poll(entries.baseAddress, nfds_t(entries.count), milliseconds)
        }
        // Without a result, as after a signal, the entries hold what they held before.
        guard left > 0 else { return }
        if polled[0].revents != 0 {
            wakePipe.drain()
            left -= 1
        }
        var index = 1
        while left > 0, index < polled.count {
            let entry = polled[index]
            if entry.revents != 0 {
                ready.append(Ready(socket: entry.fd, events: Self.selected(entry)))
                left -= 1
            }
            index += 1
        }
    }

    /// Lets libcurl move the bytes of the sockets that were ready.
    func serveReady(of multi: UnsafeMutableRawPointer) {
        var running: Int32 = 0
        var index = 0
        while index < ready.count {
            let (socket, events) = (ready[index].socket, ready[index].events)
            if events != 0 { curl_multi_socket_action(multi, socket, events, &running) }
            index += 1
        }
        ready.removeAll(keepingCapacity: true)
    }

    /// Lets libcurl do what it wanted to do by now: new transfers begin so, too. `false` if that is nothing.
    func serveTimer(of multi: UnsafeMutableRawPointer) -> Bool {
        guard let due, due <= time.now else { return false }
        // Libcurl sets it anew if it wants to.
        self.due = nil
        var running: Int32 = 0
        curl_multi_socket_action(multi, Int32(CURL_SOCKET_TIMEOUT), 0, &running)
        return true
    }

    /// Makes the timer due, for what libcurl must be called to go on with.
    func kick() { due = time.now }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlSockets? {
        context.map { Unmanaged<CurlSockets>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setTimer(_ milliseconds: Int) {
        due = milliseconds < 0 ? nil : time.now.advanced(by: .milliseconds(milliseconds))
    }

    private func watch(_ socket: Int32, _ wanted: Int) {
        var events: Int32 = 0
        if wanted & CURL_POLL_IN != 0 { events |= POLLIN }
        if wanted & CURL_POLL_OUT != 0 { events |= POLLOUT }
        let place = polled.dropFirst().firstIndex { $0.fd == socket }
        // One without events would still report its end, again and again.
        if wanted == CURL_POLL_REMOVE || events == 0 {
            if let place {
                polled.swapAt(place, polled.count - 1)
                polled.removeLast()
            }
            for index in ready.indices where ready[index].socket == socket { ready[index].events = 0 }
        } else if let place {
            polled[place].events = Int16(events)
        } else {
            polled.append(pollfd(fd: socket, events: Int16(events), revents: 0))
        }
    }

    /// An end or an error goes to whoever waits for the socket: reading or writing meets it.
    private static func selected(_ entry: pollfd) -> Int32 {
        let (wanted, seen) = (Int32(entry.events), Int32(entry.revents))
        var events: Int32 = 0
        if wanted & POLLIN != 0, seen & (POLLIN | POLLERR | POLLHUP) != 0 { events |= Int32(CURL_CSELECT_IN) }
        if seen & POLLOUT != 0 { events |= Int32(CURL_CSELECT_OUT) }
        if seen & POLLNVAL != 0 || (wanted & POLLOUT != 0 && seen & (POLLERR | POLLHUP) != 0) {
            events |= Int32(CURL_CSELECT_ERR)
        }
        return events
    }
}
