import Testing

@testable import MirrorServer

@Suite("How many files and connections may be open") struct OpenFileLimitTests {
    @Test(arguments: [
        (0, 16), (64, 16), (160, 16), (256, 64), (1_024, 448), (4_096, 1_984), (8_320, 4_096),
        (65_536, 4_096), (Int.max, 4_096),
    ])
    func theConnectionLimitReservesFileDescriptors(_ files: Int, _ connections: Int) {
        #expect(OpenFileLimit(count: files).connections == connections)
    }

    @Test func eachConnectionMayHaveOneFileOpen() {
        for count in 160...20_000 {
            let limit = OpenFileLimit(count: count)
            #expect(2 * limit.connections + OpenFileLimit.reserve <= count)
        }
    }

    @Test(
        arguments: [
            (1_024, 524_288, [65_536, 10_240]), (256, UInt64.max, [65_536, 10_240]),
            (1_024, 20_000, [20_000, 10_240]), (1_024, 4_096, [4_096]), (4_096, 4_096, []),
            (10_240, 20_000, [20_000]), (200_000, 1_000_000, []),
        ] as [(UInt64, UInt64, [UInt64])])
    func theOpenFileLimitIsRaisedToTheMaximumAndNeverLowered(_ now: UInt64, _ most: UInt64, _ goals: [UInt64])
    {
        #expect(OpenFileLimit.goals(now, within: most) == goals)
    }

    @Test func theOpenFileLimitIsReadFromTheSystem() {
        #expect(OpenFileLimit.current().count > 0)
    }
}
