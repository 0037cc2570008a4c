import Foundation
import MirrorStore
import Testing

@Suite("The folder of all mirrors")
struct MirrorHomeTests {
    @Test(
        arguments: [
            ("/a", ["MIRROR_HOME": "/b"], "/a"),
            (nil, ["MIRROR_HOME": "/b", "XDG_DATA_HOME": "/c", "HOME": "/d"], "/b"),
            // An empty variable is ignored.
            (nil, ["MIRROR_HOME": "", "XDG_DATA_HOME": "/c", "HOME": "/d"], "/c/mirror"),
            (nil, ["XDG_DATA_HOME": "relative", "HOME": "/d"], "/d/.local/share/mirror"),
            (nil, ["HOME": "/d"], "/d/.local/share/mirror"),
        ] as [(String?, [String: String], String)])
    func theHomeFolderIsTakenFromTheOptionOrElseFromTheEnvironment(
        option: String?, environment: [String: String], path: String
    ) {
        #if os(Linux)
            #expect(MirrorHome.standard(option: option, environment: environment).path == path)
        #else
            let isExplicit = option != nil || environment["MIRROR_HOME"].map { !$0.isEmpty } == true
            let home = MirrorHome.standard(option: option, environment: environment).path
            #expect(isExplicit ? home == path : home.hasSuffix("/Library/Application Support/mirror"))
        #endif
    }

    @Test func withoutTheVariableHomeTheUsersHomeFolderIsUsed() {
        #expect(MirrorHome.standard(option: nil, environment: [:]).path.hasSuffix("/mirror"))
    }

    @Test func anAppUsesTheSameHomeFolderAsTheCommandWithoutAnOption() {
        let environment = ProcessInfo.processInfo.environment
        #expect(MirrorHome().path == MirrorHome.standard(option: nil, environment: environment).path)
    }
}
