import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Stored credentials") struct CredentialsFileTests {
    private func withFile(_ body: (CredentialsFile) throws -> Void) throws {
        try withFolder { try body(CredentialsFile($0)) }
    }

    private func withFolder(_ body: (MirrorFolder) throws -> Void) throws {
        let home = try TemporaryHome()
        let folder = try home.mirror("cmoa")
        try folder.prepare()
        try body(folder)
    }

    @Test func storedCredentialsAreUsedOnlyForTheirOwnHost() throws {
        try withFile { file in
            try file.store(.token("s3cret"), for: "https://example.org/api/v1")
            guard case .token("s3cret") = try file.credentials(for: "https://example.org:8443/x/api/v1")
            else {
                Issue.record("The token was not found again.")
                return
            }
            for other in [
                "https://example.com/api/v1", "http://example.org/api/v1", "https://www.example.org",
            ] {
                guard case .none = try file.credentials(for: other) else {
                    Issue.record("\(other) would get the token.")
                    continue
                }
            }
        }
    }

    @Test func theFirstSyncUsesTheServerOfTheLogin() throws {
        try withFolder { folder in
            #expect(try CredentialsFile.addressOfFirstSync(folder) == nil)
            try CredentialsFile(folder).store(.token("t"), for: "https://example.org:8443/x/api/v1")
            #expect(try CredentialsFile.addressOfFirstSync(folder) == "https://example.org:8443/x/api/v1")
            try CatalogueStore.open(at: folder.database).close()
            #expect(try CredentialsFile.addressOfFirstSync(folder) == nil)
        }
    }

    @Test func aCredentialsFileThatOtherUsersCanReadIsRefused() throws {
        try withFile { file in
            try file.store(.login(name: "ann", password: "pa55"), for: "http://h")
            let mode =
                try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            for wrong in [0o640, 0o604, 0o660] {
                try FileManager.default.setAttributes([.posixPermissions: wrong], ofItemAtPath: file.path)
                #expect { _ = try file.credentials(for: "http://h") } throws: {
                    ($0 as? SyncError)?.code == .secret && !"\($0)".contains("pa55")
                }
            }
        }
    }

    @Test func removingCredentialsLeavesNothing() throws {
        try withFile { file in
            try file.store(.token("t"), for: "http://h")
            #expect(try file.remove())
            #expect(try !file.remove())
            guard case .none = try file.credentials(for: "http://h") else {
                Issue.record("The credentials were not removed.")
                return
            }
        }
    }

    @Test func credentialsThatCannotBeStoredLeaveTheFolderUnchanged() throws {
        try withFolder { folder in
            let file = CredentialsFile(folder)
            // A file can't replace a folder that is not empty.
            try FileManager.default.createDirectory(
                atPath: "\(file.path)/x", withIntermediateDirectories: true)
            #expect { try file.store(.token("s3cret"), for: "http://h") } throws: {
                ($0 as? SyncError)?.code == .secret && !"\($0)".contains("s3cret")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["credentials"])
        }
    }
}
