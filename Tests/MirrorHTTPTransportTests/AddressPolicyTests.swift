import Foundation
import MirrorHTTP
import Synchronization
import Testing

/// No test may reach another machine: the transports refuse, and the test that asked fails.
@Suite("The address policy of tests") struct AddressPolicyTests {
    @Test(
        arguments: TransportKind.allCases,
        ["http://192.0.2.1/", "https://museum.example/x", "http://10.0.0.1:80/"])
    func aTransportOfATestRefusesAnotherMachineAndTellsWhoMadeIt(kind: TransportKind, url: String) async {
        let refused = Mutex<[String]>([])
        let transport = kind.make(addresses: .loopback { url in refused.withLock { $0.append(url) } })
        let error = await failure { try await transport.send(.init(url: url)) }
        #expect(error?.code == .cannotConnect && error?.mayHaveReachedServer == false)
        #expect(refused.withLock { $0 } == [url])
    }

    @Test(arguments: TransportKind.allCases) func aRequestOfATestToAnotherMachineFailsTheTest(
        kind: TransportKind
    ) async {
        await withKnownIssue {
            _ = try? await kind.make().send(.init(url: "http://192.0.2.1/"))
        } matching: {
            $0.comments.contains { $0.rawValue.contains("192.0.2.1") }
        }
    }

    @Test(arguments: TransportKind.allCases) func thisMachineIsReachedAsBefore(kind: TransportKind)
        async throws
    {
        try await withServer { server in
            let (response, _) = try await kind.make().send(.init(url: server.base + "/204"))
            #expect(response.status == 204)
        }
    }

    /// Every transport that a test makes has the policy, but for two that reach nobody else by what they request.
    @Test func noTestMakesATransportWithoutIt() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var bare: [String] = []
        for case let file as URL in files
        where file.pathExtension == "swift" && file != URL(filePath: #filePath) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for made in text.matches(of: #/\b(Curl|URLSession)Transport\((?<first>[^\n]*)/#)
            where !made.output.first.contains("addresses:") && !made.output.first.isEmpty {
                bare.append("\(file.lastPathComponent): \(made.output.0)")
            }
        }
        #expect(bare == [])
    }
}
