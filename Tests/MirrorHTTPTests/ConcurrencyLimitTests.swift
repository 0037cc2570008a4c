import MirrorHTTP
import Testing

@Suite struct ConcurrencyLimitTests {
    @Test func aFastServerFarAwayIsSentAllRequestsThatHTTP2Allows() {
        var network = SimulatedNetwork(.slots(128, time: .milliseconds(2)), roundTrip: .milliseconds(40))
        network.run(for: .milliseconds(700))
        #expect(network.limit.width == 128)
        network.run(for: .seconds(20))
        let most = 21 * 128 * 1000 / 42
        #expect(network.completed > most * 9 / 10)
    }

    @Test func theFirstRequestGoesAloneAndTheSecondRoundHasSixteen() {
        var limit = ConcurrencyLimit(.adaptive)
        #expect(limit.width == 1)
        limit.receivedHead(.http2, began: .zero, now: .milliseconds(90))
        #expect(limit.width == 16)
    }

    @Test func aHostThatNeverAnswersIsSentUpToSixteenRequests() {
        var limit = ConcurrencyLimit(.adaptive)
        limit.ended(.connectionLost, began: .zero, inFlight: 1, now: .seconds(1))
        #expect(limit.width == 2)
        for _ in 0..<9 { limit.ended(.timedOut, began: .seconds(1), inFlight: 2, now: .seconds(9)) }
        #expect(limit.width == 16)
    }

    @Test func aTimeOutOfARequestThatWasSentLongBeforeTheLastGrowthHalvesTheWidth() {
        var network = SimulatedNetwork(.slots(128, time: .milliseconds(2)), roundTrip: .milliseconds(40))
        network.run(for: .seconds(40))
        var limit = network.limit
        #expect(limit.width == 128)
        limit.ended(.timedOut, began: network.now - .seconds(30), inFlight: 128, now: network.now)
        #expect(limit.width == 64)
    }

    @Test func aRefusedFirstRequestHalvesTheWidthOfTheStart() {
        var limit = ConcurrencyLimit(.adaptive)
        limit.receivedHead(.http2, began: .zero, now: .milliseconds(90))
        limit.ended(.refused, began: .zero, inFlight: 1, now: .milliseconds(90))
        #expect(limit.width == 8)
    }

    @Test func slowerResourcesDoNotStopASync() {
        var network = SimulatedNetwork(.slots(128, time: .milliseconds(1)), roundTrip: .milliseconds(40))
        network.run(for: .seconds(10))
        network.server = .slots(128, time: .milliseconds(40))
        let before = network.completed
        network.run(for: .seconds(30))
        #expect(network.widths.allSatisfy { $0 >= 8 })
        // The new time is soon the least, so the width is large again.
        #expect(network.completed - before > 30 * 64 * 1000 / 80, "\(network.widths)")
    }

    @Test(arguments: [HTTPVersion.http1, nil]) func withoutHTTP2SixteenConnectionsAreUsed(
        _ version: HTTPVersion?
    ) {
        var network = SimulatedNetwork(
            .slots(128, time: .milliseconds(2)), roundTrip: .milliseconds(40), version: version)
        network.run(for: .seconds(60))
        #expect(Set(network.widths) == [16])
    }

    @Test(arguments: [0, 10, 40], [50, 100, 400])
    func aServerThatAnswersEightAtATimeIsSentAtMost24(_ roundTrip: Int, _ time: Int) {
        var network = SimulatedNetwork(
            .slots(8, time: .milliseconds(time)), roundTrip: .milliseconds(roundTrip))
        network.run(for: .seconds(120))
        #expect(network.widths.dropFirst(20).allSatisfy { $0 <= 24 }, "\(network.widths)")
        // No slot of the server stays unused for long.
        let most = 120 * 8 * 1000 / time
        #expect(network.completed > most * 9 / 10)
    }

    @Test(arguments: [10, 50]) func aServerThatSlowsDownInProportionToItsLoadIsSentFewerRequests(_ time: Int)
    {
        var network = SimulatedNetwork(
            .proportional(time: .milliseconds(time)), roundTrip: .milliseconds(10))
        network.run(for: .seconds(10))
        #expect(network.widths.allSatisfy { $0 <= 32 }, "\(network.widths)")
        network.run(for: .seconds(110))
        #expect(network.widths.suffix(60).allSatisfy { $0 <= 8 }, "\(network.widths)")
    }

    @Test func aServerThatRefusesRequestsAboveFortyIsSentFewerAndRefusesFew() {
        var network = SimulatedNetwork(
            .refusing(above: 40, time: .milliseconds(20)), roundTrip: .milliseconds(40))
        network.run(for: .seconds(300))
        #expect(network.refused * 500 < network.completed, "\(network.refused) of \(network.completed)")
        // Half the possible width on average, at least.
        #expect(network.completed > 300 * 20 * 1000 / 60)
    }

    @Test func theFirstRefusalHalvesTheWidthAndItRecoversByOneASecond() {
        var network = SimulatedNetwork(.slots(128, time: .milliseconds(2)), roundTrip: .milliseconds(40))
        network.run(for: .seconds(5))
        var limit = network.limit
        let now = network.now
        limit.ended(.refused, began: now, inFlight: 128, now: now)
        #expect(limit.width == 64)
        // Requests that were sent before the change say nothing about the new width.
        for _ in 0..<60 { limit.ended(.refused, began: now - .milliseconds(10), inFlight: 100, now: now) }
        #expect(limit.width == 64)
        network.fail(.refused)
        network.run(for: .seconds(10))
        #expect((72...75).contains(network.limit.width))
    }

    @Test func timeWithoutRequestsDoesNotCountAsRecovery() {
        var network = SimulatedNetwork(.slots(128, time: .milliseconds(2)), roundTrip: .milliseconds(40))
        network.run(for: .seconds(5))
        network.fail(.refused)
        network.idle(for: .seconds(120))
        network.run(for: .seconds(2))
        #expect(network.limit.width <= 67)
    }

    @Test func aFewSlowResponsesInSuccessionLeaveAWidthOfEight() {
        var limit = ConcurrencyLimit(.adaptive), now = Duration.milliseconds(90)
        limit.receivedHead(.http2, began: .zero, now: now)
        for time in Array(repeating: 42, count: 16) + Array(repeating: 90, count: 32) {
            let began = now
            now += .milliseconds(time)
            limit.receivedHead(.http2, began: began, now: now)
            limit.ended(nil, began: began, inFlight: 1, now: now)
        }
        #expect(limit.width == 8)
    }

    @Test func slowPicturesDoNotShrinkTheWidthForJSON() {
        var limit = ConcurrencyLimit(.adaptive), now = Duration.milliseconds(90)
        limit.receivedHead(.http2, began: .zero, now: now)
        for round in 0..<60 {
            let began = now, share = round % 3
            now += .milliseconds(200)
            for number in 0..<limit.width {
                let isPicture = number % 4 < share
                limit.receivedHead(
                    .http2, of: isPicture ? .media : .json, began: began,
                    now: began + .milliseconds(isPicture ? 200 : 42))
            }
            for _ in 0..<limit.width { limit.ended(nil, began: began, inFlight: limit.width, now: now) }
        }
        #expect(limit.width == 128)
    }

    @Test(arguments: [ConcurrencyLimit.Failure.refused, .timedOut])
    func withHTTP1TooTheWidthIsHalvedAndGrowsAgainToSixteen(_ failure: ConcurrencyLimit.Failure) {
        var network = SimulatedNetwork(
            .slots(16, time: .milliseconds(2)), roundTrip: .milliseconds(40), version: .http1)
        network.run(for: .seconds(1))
        network.fail(failure)
        #expect(network.limit.width == 8)
        network.run(for: .seconds(4))
        #expect((10...13).contains(network.limit.width))
        network.run(for: .seconds(10))
        #expect(network.limit.width == 16)
    }

    @Test(arguments: [10, 32, 100], [40, 300])
    func aServerThatAllowsFewStreamsIsSentThatManyOnOneConnection(_ streams: Int, _ roundTrip: Int) {
        var network = SimulatedNetwork(
            .slots(128, time: .milliseconds(2)), roundTrip: .milliseconds(roundTrip), streams: streams)
        network.run(for: .seconds(30))
        #expect(network.completed > 30 * streams * 1000 / (roundTrip + 2) * 7 / 10)
        #expect(network.widths.dropFirst(15).allSatisfy { $0 <= streams }, "\(network.widths)")
        #expect(network.connections.dropFirst(15).allSatisfy { $0 == 1 }, "\(network.connections)")
    }

    @Test func aServerThatResetsSomeStreamsIsStillFullyUsed() {
        var network = SimulatedNetwork(
            .resetting(every: 50, above: 1_000, time: .milliseconds(5)), roundTrip: .milliseconds(40))
        network.run(for: .seconds(30))
        #expect(network.limit.width > 100)
    }

    @Test func aServerThatResetsStreamsAboveTwentyIsSentFewer() {
        var network = SimulatedNetwork(
            .resetting(every: .max, above: 20, time: .milliseconds(5)), roundTrip: .milliseconds(40))
        network.run(for: .seconds(120))
        #expect(network.widths.reduce(0, +) <= 26 * network.widths.count, "\(network.widths)")
        #expect(network.completed > 120 * 10 * 1000 / 45)
    }

    @Test func connectionsThatAreLostNowAndThenLeaveAWidthOfEightAtLeast() {
        var network = SimulatedNetwork(.slots(128, time: .milliseconds(2)), roundTrip: .milliseconds(40))
        for _ in 0..<20 {
            network.run(for: .seconds(2))
            // All requests in flight are lost, and so are their first repetitions.
            for _ in 0..<3 { network.loseAll() }
            #expect(network.limit.width >= 8)
        }
        #expect(network.completed > 40 * 64 * 1000 / 42)
    }

    @Test(arguments: [10, 40, 150]) func aNarrowLinkIsFullWithoutALongQueue(_ roundTrip: Int) {
        // 6,250,000 bytes a second are 50 Mbit/s.
        var network = SimulatedNetwork(
            .slots(128, time: .milliseconds(1)), roundTrip: .milliseconds(roundTrip),
            bytesPerSecond: 6_250_000)
        network.bytesPerResponse = 20_000
        network.run(for: .seconds(30))
        #expect(network.completed > 30 * 6_250_000 / 20_000 * 8 / 10, "\(network.widths)")
    }

    @Test(arguments: [1, 8, 64, 128]) func aFixedNumberNeverChanges(_ number: Int) {
        var network = SimulatedNetwork(
            .refusing(above: 4, time: .milliseconds(20)), roundTrip: .milliseconds(40),
            concurrency: .fixed(number))
        network.run(for: .seconds(10))
        #expect(Set(network.widths) == [number])
    }
}
