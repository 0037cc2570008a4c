import MirrorSync

/// What kind of server a partner has: of everything that the API leaves open, one way or the other.
package struct PartnerTraits: Sendable {
    var extensions: [String] = []
    var hasETags = true
    /// Whether lists with validators, and changes, have the ETags of the lists under an object, too.
    var hasListETags = true
    var sendsDate = true
    /// Whether lists say up to when they have all changes; changes have times of their own then, to the millisecond.
    var sendsChangesEnd = false
    /// What it says of how long an answer holds.
    var cacheControl: String?
    var honoursIdempotencyKeys = true
    var honoursIfMatch = true
    var answersWritesWithBody = true
    var acceptsPrivateFilter = true
    var offersUser = true
    var offersDocuments = true
    /// Whether the ETag of a list of documents is that of its ids alone, whatever becomes of the documents.
    var hasShallowListETags = false
    /// Whether its failures may be lies: objects that are said not to be there, lists that are said to be empty. What such
    /// a server said, only a look at everything can mend.
    var lies = false
    /// Whether what leaves a list always leaves a tombstone.
    var omitsTombstones = false
    /// Whether something between here and there may answer with what it once was given.
    var servesStaleAnswers = false
    /// Whether shows that are running have feeds of their own.
    var hasShowFeeds = false
    /// Whether ids and names are such as nobody should trust.
    var hasHostileNames = false
    /// Whether it answers for the bytes of pictures, which are then wanted.
    var hasMedia = false
    /// Whether its snapshot is taken in as a large one is.
    var hasLargeSnapshot = false
    var access = Access.open

    /// What it wants to know of those who ask.
    enum Access: Sendable, Hashable {
        case open
        case token(String)
        case login(password: String)

        /// What must be found nowhere.
        var secret: String? {
            switch self {
            case .open: nil
            case .token(let secret), .login(let secret): secret
            }
        }
    }

    init(_ random: inout SplitMix, _ profile: HistoryProfile) {
        extensions = random.one(
            of: ["validators", "since"], ["validators", "since"], ["since"], ["validators"], [])
        if random.chance(60) { extensions.append("status") }
        if random.chance(60) { extensions.append("events") }
        hasListETags = random.chance(75)
        hasETags = random.chance(80) || has("validators") || has("since") || has("events")
        sendsDate = random.chance(90)
        sendsChangesEnd = random.chance(40)
        cacheControl = random.one(of: "no-cache", "max-age=0, must-revalidate", nil)
        honoursIdempotencyKeys = random.chance(70)
        honoursIfMatch = random.chance(70)
        answersWritesWithBody = random.chance(70)
        acceptsPrivateFilter = random.chance(80)
        offersUser = random.chance(80)
        offersDocuments = random.chance(80)
        lies = random.chance(15)
        omitsTombstones = random.chance(10)
        servesStaleAnswers = random.chance(15)
        hasShowFeeds = random.chance(70)
        hasHostileNames = random.chance(25)
        hasMedia = random.chance(15)
        let secret = "secret-\(String(random.next(), radix: 36))"
        access = random.one(of: .open, .open, .token(secret), .login(password: secret))
        // Behind all else that is drawn.
        if random.chance(30) { extensions.append("snapshot") }
        if random.chance(40), hasETags { extensions.append("digest") }
        hasShallowListETags = random.chance(40)
        hasLargeSnapshot = random.chance(50)
        if profile == .calm { restrictToCalm() }
    }

    /// Without what only a watch, a snapshot, an audit, a download or a login asks for, and without what checks of every run look for.
    private mutating func restrictToCalm() {
        extensions.removeAll { ["events", "snapshot", "digest"].contains($0) }
        (servesStaleAnswers, hasHostileNames, hasMedia, access) = (false, false, false, .open)
    }

    func has(_ name: String) -> Bool { extensions.contains(name) }

    var line: String {
        var words = extensions
        if hasETags { words.append("etags") }
        if hasListETags { words.append("list-etags") }
        if hasShallowListETags { words.append("bare-lists") }
        if sendsDate { words.append("date") }
        if sendsChangesEnd { words.append("changes-end") }
        if honoursIdempotencyKeys { words.append("keys") }
        if honoursIfMatch { words.append("if-match") }
        if answersWritesWithBody { words.append("bodies") }
        if lies { words.append("lies") }
        if omitsTombstones { words.append("forgetful") }
        if servesStaleAnswers { words.append("stale") }
        if hasShowFeeds { words.append("show-feeds") }
        if hasHostileNames { words.append("hostile") }
        if hasMedia { words.append("media") }
        if hasLargeSnapshot, has("snapshot") { words.append("large") }
        switch access {
        case .open: break
        case .token: words.append("token")
        case .login: words.append("login")
        }
        return words.joined(separator: " ")
    }
}
