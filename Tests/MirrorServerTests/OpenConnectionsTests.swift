import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import MirrorServer

/// Tests connections without sockets, on an event loop that the test controls.
@Suite("The open connections of a server") struct OpenConnectionsTests {
    private let loop = EmbeddedEventLoop()
    private let connections = OpenConnections(limit: 3)

    /// Replaces a socket: the client reads bytes when they are flushed.
    private final class Wire: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = ByteBuffer

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            context.write(wrapOutboundOut(ByteBuffer(string: "part")), promise: promise)
        }
    }

    private func connect() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handlers: [Wire(), SlowClientHandler(connections)], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func ask(_ channel: EmbeddedChannel) {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/")
        channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
        channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
        channel.pipeline.fireChannelReadComplete()
    }

    private func answer(_ channel: EmbeddedChannel, isTaken: Bool = true) {
        let parts = [HTTPResponsePart.head(HTTPResponse(status: .ok)), .end(nil)]
        for part in parts { channel.pipeline.syncOperations.write(NIOAny(part), promise: nil) }
        if isTaken { channel.flush() }
    }

    @Test func theLongestIdleConnectionIsClosedAtTheLimit() throws {
        let first = try connect(), second = try connect(), third = try connect()
        for channel in [first, second, third, first] {
            ask(channel)
            answer(channel)
        }
        let fourth = try connect()
        #expect(first.isActive && !second.isActive && third.isActive && fourth.isActive)
        let fifth = try connect()
        #expect(first.isActive && !third.isActive && fourth.isActive && fifth.isActive)
        #expect(connections.count == 3)
    }

    @Test func aNewConnectionIsClosedIfAllOthersAreBusy() throws {
        let busy = [try connect(), try connect(), try connect()]
        for channel in busy { ask(channel) }
        let refused = try connect()
        #expect(!refused.isActive && busy.allSatisfy { $0.isActive } && connections.count == 3)
        ask(busy[1])
        for channel in busy { answer(channel) }
        let late = try connect()
        #expect(late.isActive && !busy[0].isActive, "the second one still waits for an answer")
        let later = try connect()
        #expect(later.isActive && busy[1].isActive && !busy[2].isActive)
    }

    @Test func aConnectionThatIsStillSendingIsNotIdle() throws {
        let slow = try connect(), quick = try connect()
        ask(slow)
        answer(slow, isTaken: false)
        ask(quick)
        answer(quick)
        let third = try connect(), fourth = try connect()
        #expect(slow.isActive && !quick.isActive && third.isActive && fourth.isActive)
        slow.flush()
        let fifth = try connect()
        #expect(slow.isActive && !third.isActive)
        let sixth = try connect()
        #expect(slow.isActive && !fourth.isActive, "it became idle later than these two")
        let seventh = try connect()
        #expect(!slow.isActive && fifth.isActive && sixth.isActive && seventh.isActive)
    }

    @Test func aConnectionClosedByItsClientFreesItsPlace() throws {
        let channels = [try connect(), try connect(), try connect()]
        try channels[0].close().wait()
        #expect(connections.count == 2)
        let next = try connect()
        #expect(next.isActive && channels[1].isActive && channels[2].isActive && connections.count == 3)
        for channel in [next, channels[1], channels[2]] { try channel.close().wait() }
        #expect(connections.count == 0)
    }

    @Test func aConnectionWithoutARequestIsClosed() throws {
        let silent = try connect(), used = try connect(), busy = try connect()
        ask(used)
        answer(used)
        ask(busy)
        loop.advanceTime(by: .seconds(39))
        #expect(silent.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!silent.isActive && used.isActive && busy.isActive && connections.count == 2)
        // Bytes without a complete part of a request.
        used.pipeline.fireChannelReadComplete()
        busy.pipeline.fireChannelReadComplete()
        loop.advanceTime(by: .seconds(30))
        #expect(used.isActive)
        loop.advanceTime(by: .seconds(10))
        #expect(!used.isActive && busy.isActive)
        answer(busy, isTaken: false)
        loop.advanceTime(by: .seconds(60))
        #expect(busy.isActive, "the client has not read the answer yet")
        busy.flush()
        loop.advanceTime(by: .seconds(10))
        #expect(!busy.isActive && connections.count == 0)
    }

    /// Otherwise the client could keep the answer's file or snapshot open without limit.
    @Test func aConnectionWhoseClientReadsNothingIsClosed() throws {
        let stalled = try connect(), slow = try connect()
        for channel in [stalled, slow] {
            ask(channel)
            channel.pipeline.syncOperations.write(
                NIOAny(HTTPResponsePart.head(HTTPResponse(status: .ok))), promise: nil)
        }
        for _ in 0..<6 {
            loop.advanceTime(by: .seconds(10))
            #expect(stalled.isActive)
            // All bytes were read, and more follow.
            slow.flush()
            slow.pipeline.syncOperations.write(NIOAny(HTTPResponsePart.body(ByteBuffer())), promise: nil)
        }
        loop.advanceTime(by: .seconds(10))
        #expect(!stalled.isActive && slow.isActive && connections.count == 1)
    }
}
