import Catalogue

/// What can go wrong at a museum, beyond what its server always does.
package enum ImitationFault: String, CaseIterable, Sendable {
    /// After 40 requests, the firewall answers with 403 and HTML for two minutes, at any pace. Then it counts again.
    case blocksAfter40 = "blocks-after-40"
    /// Every tenth request is answered with 200 and the firewall's HTML.
    case htmlWith200 = "html-with-200"
    /// One object in seven is listed, but answers 404.
    case missingObjects = "missing-objects"
    /// One object in seven is gone every other day: on days with an odd number since 1970, by UTC.
    case absentEveryOtherDay = "absent-every-other-day"
    /// When the second page of artworks is requested, one from behind it is bumped to page one.
    case bumpsARecord = "bumps-a-record"
    /// Validators are sent with `W/`, as a cache in between does, and never match again.
    case weakValidators = "weak-validators"
    /// Pictures are answered with a challenge for browsers: 403 and HTML.
    case challengesPictures = "challenges-pictures"
    /// The total is one more in every second answer.
    case totalMoves = "total-moves"
    /// Each answer lists in another order.
    case orderChanges = "order-changes"
    /// One picture in five answers 404.
    case missingPictures = "missing-pictures"
    /// Pictures are named twice.
    case duplicatePictures = "duplicate-pictures"
    /// Every object number has a space, and not only every second. It changes the ids, so switch it on before a first sync.
    case spacesInNumbers = "spaces-in-numbers"
}

/// What an imitation knows beside its own rules: the catalogue, and what is wrong at present.
package struct ImitationState: Sendable {
    package var catalogue: ImitatedCatalogue
    package var faults: Set<ImitationFault>
    /// What the faults choose depends on it.
    package let seed: UInt64
    /// The number of requests until now, of the API and of pictures.
    private(set) var requests = 0
    /// The number of requests of the API that the firewall counted since it blocked last.
    private var countedRequests = 0
    /// The second until which the firewall blocks.
    private var blockedUntil = Int.min
    /// The server's clock at the current request.
    private(set) var now = Timestamp(seconds: 0)

    package init(_ catalogue: ImitatedCatalogue, faults: Set<ImitationFault> = [], seed: UInt64 = 1) {
        (self.catalogue, self.faults, self.seed) = (catalogue, faults, seed)
    }

    mutating func begin(_ now: Timestamp) {
        requests += 1
        self.now = now
    }

    func has(_ fault: ImitationFault) -> Bool { faults.contains(fault) }

    /// Counts a request at the firewall, which blocks for two minutes when there were 40 before it.
    mutating func isBlocked() -> Bool {
        guard has(.blocksAfter40) else { return false }
        if now.seconds < blockedUntil { return true }
        countedRequests += 1
        guard countedRequests > 40 else { return false }
        countedRequests = 0
        blockedUntil = now.seconds + 120
        return true
    }

    /// Whether the seed chooses this id: one in `count`.
    func chooses(_ id: String, oneIn count: UInt64) -> Bool {
        MuseumNumber.hash("\(seed) \(id)") % count == 0
    }

    /// Whether an artwork is away today.
    func isAway(_ id: String) -> Bool {
        has(.absentEveryOtherDay) && now.seconds / 86_400 % 2 == 1 && chooses(id, oneIn: 7)
    }

    /// Whether a picture is named, but answers 404.
    func isMissing(_ picture: ArtworkRecord.Picture) -> Bool {
        has(.missingPictures) && chooses(picture.id, oneIn: 5)
    }
}
