import MirrorHTTP

/// Answers that follow each other on one connection.
extension FuzzDoor {
    static let answers = [
        FuzzDoor(
            "pipelined answers",
            seeds: [
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 Not Found\nContent-Length: 0\n\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
            ],
            words: [
                "HTTP/1.1 200 OK\r\n", "HTTP/1.1 204 \r\n", "Content-Length: ", "Content-Length: 2\r\n",
                "\r\n\r\n",
                "\n", "Content-Encoding: gzip\r\n", "9223372036854775807", "9223372036854775808", ", ", "-1",
            ], enter: enterAnswers)
    ]

    private struct Reading: Equatable {
        var statuses: [Int] = []
        var bodies: [[UInt8]] = []
        var isFit = true
    }

    private static func enterAnswers(_ input: [UInt8]) throws(FuzzFinding) {
        let whole = try read(input, inPiecesOf: max(1, input.count))
        for size in [1, 3] {
            try FuzzFinding.unless(
                try read(input, inPiecesOf: size) == whole, "How the bytes came makes no difference.")
        }
        try FuzzFinding.unless(
            whole.bodies.reduce(0) { $0 + $1.count } <= input.count, "A body is no longer than what came.")
    }

    private static func read(_ input: [UInt8], inPiecesOf size: Int) throws(FuzzFinding) -> Reading {
        var answer = PipelinedAnswer(), reading = Reading(), start = 0
        while start < input.count, reading.isFit {
            let piece = input[start..<min(start + size, input.count)]
            start += size
            piece.withUnsafeBytes { bytes in
                var rest = bytes
                while !rest.isEmpty, reading.isFit {
                    switch answer.read(&rest) {
                    case .more: break
                    case .head(let response):
                        reading.statuses.append(response.status)
                        reading.bodies.append([])
                    case .body(let bytes): reading.bodies[reading.bodies.count - 1] += bytes
                    case .endless, .unfit: reading.isFit = false
                    }
                    if answer.isWhole { answer = PipelinedAnswer() }
                }
            }
            try FuzzFinding.unless(answer.left >= 0, "No more comes than was announced.")
        }
        return reading
    }
}
