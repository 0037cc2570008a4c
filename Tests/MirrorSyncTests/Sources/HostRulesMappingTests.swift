import CatalogueSources
import MirrorHTTP
import MirrorTesting
import Testing

@testable import MirrorSync

/// The rules of a description, as the session gets them.
@Suite struct HostRulesMappingTests {
    private static let variable = "MIRROR_KEY_TEST"

    private func description(_ lines: String...) throws -> SourceDescription {
        let rest = """
            source: test
            title: A Museum
            base: https://api.example.org/v1
            artworks:
              list: { form: whole, get: /works, rows: "SELECT value AS id FROM json_each(:body)" }
              object: { get: "/works/{id}", is: "SELECT :body ->> 'id'", row: "SELECT :body ->> 'name' AS title" }
            """
        return try SourceDescription(yaml: lines.joined(separator: "\n") + "\n" + rest, file: "test.yaml")
    }

    @Test func allRulesOfADescriptionReachTheSession() throws {
        let rules = try description(
            "rate: { requests: 60/min, per_day: 500, parallel: 2 }", "hosts: [images.example.org]",
            "blocked: [{ status: 403, wait: 2m }, { type: text/html, wait: 1m }, { header: x-block, ended: true }]",
            "headers: { X-Program: mirror }", "contact: ada@example.org"
        ).hostRules(environment: [:])
        #expect(
            rules.limits
                == RequestBudget.Limits(requests: 60, per: .seconds(60), perDay: 500, parallel: 2))
        #expect(
            rules.blocks == [
                HostBlockRule(.status(403), .wait(.seconds(120))),
                HostBlockRule(.mediaType("text/html"), .wait(.seconds(60))),
                HostBlockRule(.header("x-block"), .ended),
            ])
        #expect(rules.headers["X-Program"] == "mirror")
        #expect(rules.contact == "ada@example.org")
        #expect(rules.hosts == ["images.example.org"])
        #expect(rules.key == nil)
    }

    @Test func anotherRateAndAnotherWaitReplaceThose() throws {
        var rate = RequestRate()
        rate.requests = 10
        let rules = try description("rate: { requests: 1/s, per_day: 500 }")
            .hostRules(environment: [:], rate: rate, longestWait: .seconds(7))
        #expect(rules.limits == RequestBudget.Limits(requests: 10))
        #expect(rules.longestWait == .seconds(7))
    }

    @Test(arguments: [[:], [variable: ""]])
    func aMissingKeyIsOneSentenceWithItsVariable(environment: [String: String]) throws {
        let description = try description(
            "website: https://example.org", "key: { query: apikey, env: \(Self.variable) }")
        let error = #expect(throws: SyncError.self) {
            try description.hostRules(environment: environment)
        }
        #expect(error?.code == .secret)
        #expect(
            error?.message
                == "The server of test requires a key, but the environment variable MIRROR_KEY_TEST isn't set. Ask the museum (https://example.org) for a key, and set the variable: export MIRROR_KEY_TEST=KEY"
        )
    }

    @Test func aKeyThatCannotBeSentIsNotRepeatedInTheError() throws {
        let description = try description("key: { header: X-Key, env: \(Self.variable) }")
        let error = #expect(throws: SyncError.self) {
            try description.hostRules(environment: [Self.variable: "geheim\nx"])
        }
        #expect(error?.code == .secret)
        #expect(
            error?.message
                == "The key in the environment variable \(Self.variable) begins or ends with a space, or contains line breaks or characters that aren't ASCII. Set the variable again: export \(Self.variable)=KEY"
        )
    }

    @Test func theKeyIsSentAndDoesNotAppearInAReport() async throws {
        let transport = ScriptedTransport(base: "https://api.example.org/v1") { _ in
            .text(#"{"id":"1","name":"A Chair"}"#)
        }
        var source = try CheckedSource(yaml: Self.keyed, transport)
        source.environment = [Self.variable: "verysecret1"]
        let report = try await source.check(id: "1")
        #expect(transport.requests.allSatisfy { $0.url.contains("apikey=verysecret1") })
        #expect(!transport.requests.isEmpty)
        #expect(!"\(report)".contains("verysecret1"))
        #expect(report.kinds.first?.requests.last?.url == "https://api.example.org/v1/works/1")
    }

    private static let keyed = """
        source: test
        title: A Museum
        base: https://api.example.org/v1
        key: { query: apikey, env: \(variable) }
        artworks:
          list: { form: whole, get: /works, rows: "SELECT :body ->> 'id' AS id" }
          object: { get: "/works/{id}", is: "SELECT :body ->> 'id'", row: "SELECT :body ->> 'name' AS title" }
        """
}
