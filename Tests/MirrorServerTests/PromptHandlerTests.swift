import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import MirrorServer

/// A connection without a socket: what comes in is sent on, or answered.
@Suite("Answers on the connection itself") struct PromptHandlerTests {
    private let channel = EmbeddedChannel()

    init() throws {
        let handler = PromptHandler(date: DateField(), connections: OpenConnections(limit: 1)) { request in
            guard request.path?.hasPrefix("/now") == true else { return nil }
            return PlainAnswer(.ok, [.eTag: "\"1\""], body: ByteBuffer(string: request.path ?? ""))
        }
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        // The first request of a connection always goes on.
        ask("/now")
        #expect(try passedOn() == ["/now"])
        try answerFurtherOn()
        #expect(try answered() == ["200"])
    }

    private func send(
        _ path: String, _ fields: HTTPFields = [:], _ method: HTTPRequest.Method = .get
    ) {
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "x", path: path, headerFields: fields)
        channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
    }

    private func ask(_ path: String, _ fields: HTTPFields = [:]) {
        send(path, fields)
        channel.pipeline.fireChannelReadComplete()
    }

    private func answerFurtherOn() throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    /// The paths of requests that went on, each of which has come to its end.
    private func passedOn() throws -> [String] {
        var paths: [String] = [], ends = 0
        while let part = try channel.readInbound(as: HTTPRequestPart.self) {
            switch part {
            case .head(let head): paths.append(head.path ?? "")
            case .body: Issue.record("There is no body.")
            case .end: ends += 1
            }
        }
        #expect(ends == paths.count)
        return paths
    }

    /// What has gone out: statuses, bodies behind them.
    private func answered() throws -> [String] {
        var parts: [String] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            switch part {
            case .head(let head): parts.append("\(head.status.code)")
            case .body(let body): parts.append(String(buffer: body))
            case .end: break
            }
        }
        return parts
    }

    @Test func whatIsThereAtOnceIsAnsweredWithALengthAndADate() throws {
        ask("/now/a")
        guard case .head(let head)? = try channel.readOutbound(as: HTTPResponsePart.self) else {
            Issue.record("There is no answer.")
            return
        }
        #expect(head.headerFields[.contentLength] == "6")
        #expect(head.headerFields[.eTag] == "\"1\"")
        #expect(head.headerFields[.date]?.hasSuffix(" GMT") == true)
        #expect(try answered() == ["/now/a"])
        #expect(try passedOn().isEmpty)
    }

    @Test func whatIsReadTogetherIsSentTogether() throws {
        send("/now/a")
        send("/now/b")
        #expect(try answered().isEmpty)
        channel.pipeline.fireChannelReadComplete()
        #expect(try answered() == ["200", "/now/a", "200", "/now/b"])
    }

    @Test(arguments: [HTTPFields.Element.Name.contentLength, .transferEncoding, .connection, .expect])
    func whatHasABodyOrEndsTheConnectionGoesOn(_ name: HTTPFields.Element.Name) throws {
        ask("/now", [name: "0"])
        #expect(try passedOn() == ["/now"])
        #expect(try answered().isEmpty)
    }

    @Test func answersKeepTheOrderOfTheRequests() throws {
        ask("/later")
        ask("/now/behind")
        #expect(try passedOn() == ["/later", "/now/behind"])
        try answerFurtherOn()
        ask("/now/still")
        #expect(try passedOn() == ["/now/still"], "one is still under way")
        try answerFurtherOn()
        try answerFurtherOn()
        ask("/now")
        #expect(try passedOn().isEmpty)
        #expect(try answered() == ["200", "200", "200", "200", "/now"])
    }

    @Test func oneGoesOnEachMinuteSoThatTheConnectionIsNotTakenForIdle() throws {
        channel.embeddedEventLoop.advanceTime(by: PromptHandler.passing - .nanoseconds(1))
        ask("/now")
        #expect(try passedOn().isEmpty)
        channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
        ask("/now")
        #expect(try passedOn() == ["/now"])
    }

    @Test func whoTakesNoAnswersIsWaitedForFurtherOn() throws {
        channel.isWritable = false
        ask("/now")
        #expect(try passedOn() == ["/now"])
    }

    @Test func whoSendsVeryManyAtOnceWaitsItsTurn() throws {
        send("/now/a")
        channel.embeddedEventLoop.advanceTime(by: PromptHandler.turn)
        send("/now/b")
        send("/now/c")
        channel.pipeline.fireChannelReadComplete()
        #expect(try passedOn() == ["/now/b", "/now/c"])
        #expect(try answered() == ["200", "/now/a"])
    }

    @Test func answersFromFurtherOnHaveTheirDateFromTheSameClock() throws {
        ask("/later")
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .continue)))
        try channel.writeOutbound(
            HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: [.date: "yesterday"])))
        var dates: [String?] = []
        while case .head(let head)? = try channel.readOutbound(as: HTTPResponsePart.self) {
            dates.append(head.headerFields[.date])
        }
        #expect(dates.count == 2 && dates[0] == nil)
        #expect(dates[1]?.hasSuffix(" GMT") == true)
    }

    @Test func nothingFollowsTheHeadOfAnAnswerToHEAD() throws {
        send("/later", [:], .head)
        send("/later")
        channel.pipeline.fireChannelReadComplete()
        for _ in 0..<2 {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try channel.writeOutbound(HTTPResponsePart.body(ByteBuffer(string: "body")))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }
        var parts: [String] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            switch part {
            case .head: parts.append("head")
            case .body(let body): parts.append(String(buffer: body))
            case .end: parts.append("end")
            }
        }
        #expect(parts.filter { !$0.isEmpty } == ["head", "head", "body", "end"])
    }

    @Test func anAnswerToNoRequestCountsForNone() throws {
        try answerFurtherOn()
        ask("/now")
        #expect(try passedOn().isEmpty)
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
    ])
    func theTimeIsWrittenAsTheStandardSays(_ second: Int, _ text: String) {
        #expect(DateField.text(second) == text)
    }
}
