import MirrorSync

/// What kind of server a partner has: of everything that the API leaves open, one way or the other.
package struct PartnerTraits: Sendable {
    var extensions: [String] = []
    var hasETags = true
    /// Whether lists with validators, and changes, have the ETags of the lists under an object, too.
    var hasListETags = true
    var saysDate = true
    /// Whether lists say up to when they have all changes; changes have times of their own then, to the millisecond.
    var saysChangesEnd = false
    /// What it says of how long an answer holds.
    var cacheControl: String?
    var honoursKeys = true
    var honoursIfMatch = true
    var answersWritesWithBody = true
    var knowsPrivate = true
    var offersUser = true
    var offersDocuments = true
    /// Whether the ETag of a list of documents is that of its ids alone, whatever becomes of the documents.
    var hasBareLists = false
    /// Whether its failures may be lies: objects that are said not to be there, lists that are said to be empty. What such
    /// a server said, only a look at everything can mend.
    var lies = false
    /// Whether what leaves a list always leaves a tombstone.
    var isForgetful = false
    /// Whether something between here and there may answer with what it once was given.
    var isStale = false
    /// Whether shows that are running have feeds of their own.
    var hasShowFeeds = false
    /// Whether ids and names are such as nobody should trust.
    var isHostile = false
    /// Whether it answers for the bytes of pictures, which are then wanted.
    var hasMedia = false
    /// Whether its snapshot is taken in as a large one is.
    var isLarge = false
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
        saysDate = random.chance(90)
        saysChangesEnd = random.chance(40)
        cacheControl = random.one(of: "no-cache", "max-age=0, must-revalidate", nil)
        honoursKeys = random.chance(70)
        honoursIfMatch = random.chance(70)
        answersWritesWithBody = random.chance(70)
        knowsPrivate = random.chance(80)
        offersUser = random.chance(80)
        offersDocuments = random.chance(80)
        lies = random.chance(15)
        isForgetful = random.chance(10)
        isStale = random.chance(15)
        hasShowFeeds = random.chance(70)
        isHostile = random.chance(25)
        hasMedia = random.chance(15)
        let secret = "secret-\(String(random.next(), radix: 36))"
        access = random.one(of: .open, .open, .token(secret), .login(password: secret))
        // Behind all else that is drawn.
        if random.chance(30) { extensions.append("snapshot") }
        if random.chance(40), hasETags { extensions.append("digest") }
        hasBareLists = random.chance(40)
        isLarge = random.chance(50)
        if profile == .calm { beCalm() }
    }

    /// Without what only a watch, a snapshot, an audit, a download or a login asks for, and without what checks of every run look for.
    private mutating func beCalm() {
        extensions.removeAll { ["events", "snapshot", "digest"].contains($0) }
        (isStale, isHostile, hasMedia, access) = (false, false, false, .open)
    }

    func has(_ name: String) -> Bool { extensions.contains(name) }

    var line: String {
        var words = extensions
        if hasETags { words.append("etags") }
        if hasListETags { words.append("list-etags") }
        if hasBareLists { words.append("bare-lists") }
        if saysDate { words.append("date") }
        if saysChangesEnd { words.append("changes-end") }
        if honoursKeys { words.append("keys") }
        if honoursIfMatch { words.append("if-match") }
        if answersWritesWithBody { words.append("bodies") }
        if lies { words.append("lies") }
        if isForgetful { words.append("forgetful") }
        if isStale { words.append("stale") }
        if hasShowFeeds { words.append("show-feeds") }
        if isHostile { words.append("hostile") }
        if hasMedia { words.append("media") }
        if isLarge, has("snapshot") { words.append("large") }
        switch access {
        case .open: break
        case .token: words.append("token")
        case .login: words.append("login")
        }
        return words.joined(separator: " ")
    }
}
