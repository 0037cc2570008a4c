import Foundation
import MirrorHTTP
import Synchronization
import Testing

/// No test may connect to another machine: the transport refuses the request, and the test fails.
@Suite("The address policy of tests") struct AddressPolicyTests {
    @Test(
        arguments: TransportKind.allCases,
        ["http://192.0.2.1/", "https://museum.example/x", "http://10.0.0.1:80/"])
    func aTestsTransportRefusesOtherMachinesAndReportsTheURL(kind: TransportKind, url: String) async {
        let refused = Mutex<[String]>([])
        let transport = kind.make(addresses: .loopback { url in refused.withLock { $0.append(url) } })
        let error = await failure { try await transport.send(.init(url: url)) }
        #expect(error?.code == .cannotConnect && error?.mayHaveReachedServer == false)
        #expect(refused.withLock { $0 } == [url])
    }

    @Test(arguments: TransportKind.allCases) func aTestThatSendsARequestToAnotherMachineFails(
        kind: TransportKind
    ) async {
        await withKnownIssue {
            _ = try? await kind.make().send(.init(url: "http://192.0.2.1/"))
        } matching: {
            $0.comments.contains { $0.rawValue.contains("192.0.2.1") }
        }
    }

    @Test(arguments: TransportKind.allCases) func aTestsTransportReachesThisMachine(kind: TransportKind)
        async throws
    {
        try await withServer { server in
            let (response, _) = try await kind.make().send(.init(url: server.base + "/204"))
            #expect(response.status == 204)
        }
    }

    /// Every transport that a test creates has the policy, except two whose requests can't reach another machine.
    @Test func everyTestsTransportHasTheAddressPolicy() throws {
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
