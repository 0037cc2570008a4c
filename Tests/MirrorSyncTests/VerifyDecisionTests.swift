import Catalogue
import MirrorStore
import Testing

@testable import MirrorSync

@Suite("Decisions of a verification")
struct VerifyDecisionTests {
    private static let file = StoredFile(hash: "abcd", size: 7, path: "media/ab/abcd.jpg", type: "image/jpeg")

    private static let sights: [(FileState, Finding.What?)] = [
        (.file(length: 7), nil), (.file(length: 7, digest: "abcd"), nil), (.nothing, .missing),
        (.other, .missing), (.file(length: 6), .length), (.file(length: 8, digest: "abcd"), .length),
        (.file(length: 7, digest: "abce"), .digest), (.unreadable("Permission denied"), .unreadable),
    ]

    @Test(arguments: sights.indices)
    func aFileIsComparedWithItsStoredLengthAndHash(index: Int) {
        let (sight, what) = Self.sights[index]
        let finding = FileCheck.finding(Self.file, sight, user: ("image", "i"))
        #expect(finding?.what == what)
        #expect(finding.map { $0.kind == "image" && $0.id == "i" && $0.path == Self.file.path } ?? true)
    }

    private static let entries: [(MediaEntry, Bool)] = [
        (MediaEntry(path: "media/ab/abcd.jpg", isFolder: false, age: 0), false),
        (MediaEntry(path: "media/ab/abcd.png", isFolder: false, age: 0), true),
        (MediaEntry(path: "media/ab/more", isFolder: true, age: 0), true),
        (MediaEntry(path: "media/.partial/x", isFolder: false, age: 86_399), false),
        (MediaEntry(path: "media/.partial/x", isFolder: false, age: 86_400), true),
        (MediaEntry(path: "media/.partial/x", isFolder: false, age: -60), false),
        (MediaEntry(path: "media/.partial/x", isFolder: false, age: -86_400), true),
        (MediaEntry(path: "media/.partial/x", isFolder: true, age: 0), true),
        // An intact file that a killed run had not committed yet; the next run fetches it again.
        (MediaEntry(path: "media/ab/\(own).jpg", isFolder: false, age: 86_399), false),
        (MediaEntry(path: "media/ab/\(own)", isFolder: false, age: 0), false),
        (MediaEntry(path: "media/ab/\(own).jpg", isFolder: false, age: 86_400), true),
        (MediaEntry(path: "media/cd/\(own).jpg", isFolder: false, age: 0), true),
        (MediaEntry(path: "media/ab/\(own)0.jpg", isFolder: false, age: 0), true),
        (MediaEntry(path: "media/ab/\(own)", isFolder: true, age: 0), true),
    ]
    private static let own = "ab" + String(repeating: "0", count: 62)

    @Test(arguments: entries.indices)
    func anUnreferencedFileIsAStray(index: Int) {
        let (entry, isStray) = Self.entries[index]
        let finding = StrayCheck.finding(entry, known: ["media/ab/abcd.jpg"])
        #expect((finding?.what == .stray) == isStray && finding?.path == (isStray ? entry.path : nil))
    }

    @Test(arguments: [
        ("ab", true), ("00", true), ("AB", false), ("g0", false), ("abc", false), ("..", false),
    ])
    func foldersOfFilesHaveTwoHexadecimalDigits(name: String, isOwn: Bool) {
        #expect(StrayCheck.isOwn(folder: name) == isOwn)
    }

    @Test(
        arguments: [("5%", 0.05), ("100%", 1), ("all", 1), ("0%", 0), ("0.5%", 0.005)] as [(String, Double)])
    func readSharesAreParsed(text: String, share: Double) {
        #expect(ReadShare(text)?.share == share)
    }

    @Test(arguments: ["", "5", "%", "101%", "-1%", "some", "nan%"])
    func invalidReadSharesAreRejected(text: String) { #expect(ReadShare(text) == nil) }

    @Test func aSampleHasTheWantedShareAndDependsOnTheSeed() throws {
        let hashes = (0..<10_000).map { number in
            let digits = String(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        let share = try #require(ReadShare("5%"))
        let samples = [UInt64(1), 2].map { seed in hashes.filter { share.contains($0, seed: seed) } }
        for sample in samples { #expect((400...600).contains(sample.count), "\(sample.count)") }
        #expect(Set(samples[0]).intersection(samples[1]).count < 100)
        #expect(hashes.allSatisfy { ReadShare.all.contains($0, seed: 1) })
        #expect(!hashes.contains { ReadShare.none.contains($0, seed: 1) })
    }

    @Test func findingsOfListsAreWordedClearly() {
        let broken = StoreDefect.members(
            list: "/x", owner: Owner(.show, "s"), name: "images?default=0", said: 2, stored: 1)
        #expect(Finding(broken).message == "Its list of installation shots has 2, but 1 are stored.")
        #expect(
            Finding(.unlisted(.artist, "x")).message
                == "It is stored, but the server's list does not name it.")
    }
}
