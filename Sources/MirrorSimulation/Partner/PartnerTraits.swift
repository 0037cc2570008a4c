import MirrorSync

/// The properties of a partner's server: a random choice for everything that the API leaves open.
package struct PartnerTraits: Sendable {
    var extensions: [String] = []
    var hasETags = true
    /// Whether lists with validators, and changes, also contain the ETags of the lists under an object.
    var hasListETags = true
    var sendsDate = true
    /// Whether lists have the header `Changes-End`. Then every change has a time of its own, to the millisecond.
    var sendsChangesEnd = false
    /// The header `Cache-Control` of answers.
    var cacheControl: String?
    var honoursIdempotencyKeys = true
    var honoursIfMatch = true
    var answersWritesWithBody = true
    var acceptsPrivateFilter = true
    var offersUser = true
    var offersDocuments = true
    /// Whether the ETag of a list of documents covers only its ids, and not the documents' content.
    var hasShallowListETags = false
    /// Whether faults may be false answers: a 404 for an object that exists, an empty list. Only an audit corrects their
    /// effects.
    var lies = false
    /// Whether an object may leave its list without a tombstone.
    var omitsTombstones = false
    /// Whether an intermediary may send old answers.
    var servesStaleAnswers = false
    /// Whether running shows have feeds of their own.
    var hasShowFeeds = false
    /// Whether ids and names contain paths, SQL, markup and escapes.
    var hasHostileNames = false
    /// Whether it serves the files of pictures; then the mirror downloads them.
    var hasMedia = false
    /// Whether its snapshot is loaded in the same way as a large one.
    var hasLargeSnapshot = false
    var access = Access.open

    /// The authentication that it requires.
    enum Access: Sendable, Hashable {
        case open
        case token(String)
        case login(password: String)

        /// The secret that must not appear in any file or log.
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
        // Drawn last, so that the other draws stay the same.
        if random.chance(30) { extensions.append("snapshot") }
        if random.chance(40), hasETags { extensions.append("digest") }
        hasShallowListETags = random.chance(40)
        hasLargeSnapshot = random.chance(50)
        if profile == .calm { restrictToCalm() }
    }

    /// Removes what only a watch, a snapshot, an audit, a download or a login uses, and what is only for the checks of
    /// every run.
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
