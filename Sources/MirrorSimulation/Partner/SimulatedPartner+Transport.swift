import Catalogue
import MirrorHTTP

/// The way to it and back.
extension SimulatedPartner: Transport {
    package func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse
    {
        try Task.checkCancellation()
        // The dead ask nothing.
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
        var meant = answer.body
        if answer.status == 200, request.method == "GET", let etag = answer.headers["ETag"],
            request.headers["If-None-Match"]?.containsUTF8(etag) == true
        {
            answer.status = 304
            meant = answer.validatedBody ?? meant
            answer.body = ""
            answer.isCut = false
        }
        if answer.isCut { answer.body = String(answer.body.dropLast(answer.body.count / 2 + 1)) }
        transcript.note("\(line): \(answer.status) \(answer.body)")
        var head = TransportResponse(status: answer.status, headers: answer.headers)
        let bytes = answer.status == 304 ? [] : answer.bytes
        if with({ $0.fatalRequest == $0.requests }) {
            try sink.begin(head)
            try bytes.prefix(bytes.count / 2).withUnsafeBytes { if !$0.isEmpty { try sink.receive($0) } }
            transcript.note("here: the process dies over an answer")
            disk.crash()
            throw CancellationError()
        }
        // Of a snapshot that ends too early, the lines before that are taken; and that something isn't there is said by the head.
        if !answer.isCut || Self.isSnapshot(url) || [403, 404, 410].contains(answer.status) {
            let body = answer.isCut ? answer.body : meant
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
