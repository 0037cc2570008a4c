import CCurl

/// One connection that carries several requests at a time: they are sent without waiting, and answered in their order
/// (RFC 9112, section 9.3.2).
///
/// libcurl makes the connection and moves its bytes. Whatever is not plainly the next answer ends the connection, and all that
/// wait on it are handed back, to be sent one at a time. Belongs to the loop's thread.
final class Pipeline {
    struct Place {
        let ticket: SendTicket
        let began: TransferClock.Instant
        var clock: TransferClock
        /// Where its head is among all bytes that are sent; nowhere yet before the connection stands.
        var head = Int.max..<Int.max
        /// Whether its caller has been told already; its answer is passed over.
        var isOver = false
    }

    /// How often in a row it reads before others have their turn.
    private static let turn = 8
    /// After such a rest a connection may be gone without anybody having said so.
    private static let longestRest = Duration.seconds(60)

    let easy: UnsafeMutableRawPointer
    let origin: String
    /// Known once it stands, as is the address that it leads to.
    private(set) var socket: Int32?
    private(set) var address = ""
    /// Whether it takes no more requests.
    private(set) var isClosed = false
    /// Whether it ended as a connection that takes several requests may not.
    private(set) var isBroken = false
    /// Whether what is to be sent waits for the other side to read.
    private(set) var isCongested = false

    /// Requests whose answers are still to come, in the order in which they were sent.
    var places: [Place] = []
    /// What has come of the first one's answer.
    var answer = PipelinedAnswer()
    /// Whether an answer has come whole.
    var hasAnswered = false
    let time: LoopTime
    private let ends: PipelineEnds
    private var unsent: [UInt8] = []
    private var sent = 0
    /// Bytes of all heads, and how many of them are sent.
    private var written = 0
    private(set) var flushed = 0
    private var lastMove: TransferClock.Instant

    init?(to ticket: SendTicket, time: LoopTime, ends: PipelineEnds) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.time = time
        self.ends = ends
        lastMove = time.now
        origin = ticket.target.origin
        _ = ccurl_set_pointer(easy, CURLOPT_URL, ticket.request.url)
        // Only where none applies there are pipelines.
        _ = ccurl_set_pointer(easy, CURLOPT_PROXY, "")
        let options: [(CURLoption, Int)] = [
            (CURLOPT_CONNECT_ONLY, 1), (CURLOPT_FRESH_CONNECT, 1), (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_NOPROGRESS, 1),
            (CURLOPT_QUICK_EXIT, 1), (CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP_HTTPS)),
            (CURLOPT_CONNECTTIMEOUT_MS, ticket.request.limits.connect.wholeMilliseconds),
        ]
        for (option, value) in options { _ = ccurl_set_long(easy, option, value) }
    }

    /// The handle must have left the multi handle.
    deinit { curl_easy_cleanup(easy) }

    var load: Int { places.count }
    /// Not once the server has said that it ends the connection (RFC 9112, section 9.6).
    var takesMore: Bool { !isClosed && !answer.isLast }
    var hasUnsent: Bool { sent < unsent.count }

    func add(_ ticket: SendTicket) {
        var clock = TransferClock(limits: ticket.request.limits, now: time.now)
        if socket != nil { clock.moved(at: time.now) }
        places.append(Place(ticket: ticket, began: time.now, clock: clock))
        if socket != nil { write(places.count - 1) }
    }

    private func write(_ index: Int) {
        let before = unsent.count
        places[index].ticket.appendHead(to: &unsent)
        places[index].head = written..<(written + unsent.count - before)
        written = places[index].head.upperBound
    }

    /// The connection stands, or doesn't.
    func connected(_ code: CURLcode, permits: (SendTicket, String) -> Bool) {
        guard !isClosed else { return }
        var socket: Int32 = -1
        guard code == CURLE_OK, ccurl_get_socket(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK,
            socket >= 0
        else { return failToConnect(code) }
        var text: UnsafeMutableRawPointer?
        _ = ccurl_get_pointer(easy, CURLINFO_PRIMARY_IP, &text)
        address = text.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
        self.socket = socket
        // What was cancelled meanwhile was not sent, and isn't.
        places.removeAll(where: \.isOver)
        // By itself, the one that may not is told so.
        guard places.allSatisfy({ permits($0.ticket, address) }) else { return close() }
        for index in places.indices { write(index) }
        moved()
    }

    /// Sent by itself, none would fare better.
    private func failToConnect(_ code: CURLcode) {
        for index in places.indices {
            let failure = CurlFailure(
                code: code == CURLE_OK ? CURLE_COULDNT_CONNECT : code,
                authority: places[index].ticket.target.authority, detail: "", requestBegan: false,
                headComplete: false, headBytes: 0)
            finish(index, .failure(failure.error))
        }
        breakOff()
    }

    /// Sends what has gathered, as far as the other side takes it.
    func flush() {
        guard socket != nil, takesMore else { return }
        isCongested = false
        while sent < unsent.count {
            var count = 0
            let code = unsent.withUnsafeBytes { bytes in
                curl_easy_send(easy, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, &count)
            }
            if code == CURLE_AGAIN {
                isCongested = true
                return
            }
            guard code == CURLE_OK else { return breakOff() }
            sent += count
            flushed += count
        }
        unsent.removeAll(keepingCapacity: unsent.count < 64 << 10)
        sent = 0
    }

    /// Takes in what has come.
    func receive(over buffer: UnsafeMutableRawBufferPointer) {
        for _ in 0..<Self.turn where !isClosed {
            var count = 0
            switch curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count) {
            case CURLE_OK where count > 0:
                moved()
                read(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                // Most often that was all.
                if count < buffer.count { return }
            case CURLE_OK: return end(CURLE_PARTIAL_FILE)
            case CURLE_AGAIN: return
            case let code: return end(code)
            }
        }
    }

    /// Before it is used after a rest: whether it still stands, and nothing has come unasked.
    func wake(over buffer: UnsafeMutableRawBufferPointer) {
        guard socket != nil, places.isEmpty, !isClosed else { return }
        guard lastMove.duration(to: time.now) < Self.longestRest else { return close() }
        receive(over: buffer)
    }

    /// Tells the caller, unless it knows.
    func finish(_ index: Int, _ result: Result<TransportResponse, any Error>) {
        guard !places[index].isOver else { return }
        places[index].isOver = true
        ends.finished.append((places[index].ticket, result))
    }

    /// Ends a connection on which something was wrong, or that the other side has ended.
    func breakOff() {
        isBroken = true
        close()
    }

    /// Hands back what still waits. An answer that has begun can't be had again.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        if answer.response != nil, !places.isEmpty { finish(0, .failure(interruption(CURLE_PARTIAL_FILE))) }
        for place in places where !place.isOver {
            let tried = EarlierTry(
                began: place.began, mayHaveReachedServer: place.head.lowerBound < flushed)
            ends.handedBack.append(.init(ticket: place.ticket, tried: tried))
        }
        (places, unsent, sent) = ([], [], 0)
    }

    private func moved() {
        lastMove = time.now
        for index in places.indices { places[index].clock.moved(at: time.now) }
    }
}
