import Catalogue
import MirrorHTTP

/// Sends requests to the simulated server, and their answers back.
extension SimulatedPartner: Transport {
    package func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse
    {
        try Task.checkCancellation()
        // A process that has crashed sends nothing.
        guard !disk.hasCrashed else { throw CancellationError() }
        let url =
            request.url.hasPrefix(Self.base) ? String(request.url.dropFirst(Self.base.count)) : request.url
        let line = "\(request.method) \(url)"
        var answer: Answer
        do {
            answer = try self.answer(request, url)
        } catch {
            transcript.note("\(line): lost")
            throw error
        }
        var confirmedBody = answer.body
        if answer.status == 200, request.method == "GET", let etag = answer.headers["ETag"],
            request.headers["If-None-Match"]?.containsUTF8(etag) == true
        {
            answer.status = 304
            confirmedBody = answer.validatedBody ?? confirmedBody
            answer.body = ""
            answer.isTruncated = false
        }
        if answer.isTruncated { answer.body = String(answer.body.dropLast(answer.body.count / 2 + 1)) }
        transcript.note("\(line): \(answer.status) \(answer.body)")
        var head = TransportResponse(status: answer.status, headers: answer.headers)
        let bytes = answer.status == 304 ? [] : answer.bytes
        if with({ $0.fatalRequest == $0.requests }) {
            try sink.begin(head)
            try bytes.prefix(bytes.count / 2).withUnsafeBytes { if !$0.isEmpty { try sink.receive($0) } }
            transcript.note("local: the process dies over an answer")
            disk.crash()
            throw CancellationError()
        }
        // The lines of a truncated snapshot are used, and a 403, 404 or 410 needs no body. All other truncated answers
        // are useless.
        if !answer.isTruncated || Self.isSnapshot(url) || [403, 404, 410].contains(answer.status) {
            let body = answer.isTruncated ? answer.body : confirmedBody
            with { state in
                let isObject = PartnerCatalogue.isObject(String(url.prefix { $0 != "?" }))
                state.serverTranscript.note(
                    request.method, url, status: answer.status, body: body, isObject: isObject)
            }
        }
        try sink.begin(head)
        try bytes.withUnsafeBytes { if !$0.isEmpty { try sink.receive($0) } }
        head.receivedBytes = bytes.count
        return head
    }
}
