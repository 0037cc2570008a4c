import Foundation
import Testing

@testable import MirrorCLI

@Suite struct TokenSourceTests {
    @Test func aTokenIsTheFirstLineOfItsFile() {
        #expect(TokenSource.firstLine(Data("abc\r\nmore".utf8)) == "abc")
        #expect(TokenSource.firstLine(Data("\nabc".utf8)) == nil)
    }

    @Test func aTokenCommandThatFailsIsAnError() async throws {
        #expect(try await TokenSource.command("echo abc") == "abc")
        await #expect(throws: CommandError.self) { try await TokenSource.command("echo abc; exit 3") }
        await #expect(throws: CommandError.self) { try await TokenSource.command("true") }
    }
}
