import Catalogue
import MirrorStore
import MirrorSync

/// Hazards: faults that last for a whole run.
extension SimulatedPartner {
    /// Fills lists, so that the delete guard stops a run in which they are empty.
    func fill(_ seed: UInt64) {
        with { state in
            var random = SplitMix(seed: seed)
            state.catalogue.fill(at: time(state), &random)
        }
        transcript.note("server: many artworks are added to shows and albums")
    }

    func begin(_ hazard: Hazard?) {
        with { state in
            (state.hazard, state.hazardHits) = (hazard, 0)
            switch hazard {
            case .serverClock(let seconds, let isDateAlone):
                if isDateAlone { state.dateAhead = seconds } else { clock.skew(serverBy: seconds) }
                if state.traits.sendsDate { state.hadWrongDate = true }
            case .emptyLists(let emptied) where emptied.isCatalogue:
                state.emptied = state.catalogue.emptyLists(at: time(state))
                state.hazardHits = state.emptied?.count ?? 0
            default: break
            }
        }
        if let hazard { transcript.note("server: \(hazard)") }
    }

    /// - Returns: the number of requests, or lists, that were affected.
    func endHazard() -> Int {
        with { state in
            if case .serverClock(let seconds, isDateAlone: false)? = state.hazard {
                clock.skew(serverBy: -seconds)
            }
            if let emptied = state.emptied { state.catalogue.refill(emptied, at: time(state)) }
            (state.hazard, state.dateAhead, state.emptied) = (nil, 0, nil)
            return state.hazardHits
        }
    }

    /// The answer that replaces the real one because of a hazard.
    static func replacement(_ method: String, _ url: String, _ hazard: Hazard?) -> Answer? {
        guard method == "GET", let hazard else { return nil }
        switch hazard {
        case .failingList(let list) where list.meets(url):
            return Answer(status: 500, body: #"{"error":"trouble"}"#)
        case .emptyLists(let emptied) where !emptied.isCatalogue && Hazard.isUnderShowOrAlbum(url):
            return Answer(body: "[]", etag: PartnerResponder.etag("[]"))
        default: return nil
        }
    }

    /// Changes an answer because of a hazard.
    ///
    /// - Returns: whether it was changed.
    static func insertUnusableElements(_ answer: inout Answer, _ url: String, _ hazard: Hazard?) -> Bool {
        guard case .unusableElements(let seed)? = hazard, answer.status == 200 else { return false }
        guard !isSnapshot(url) else {
            let body = Hazard.snapshotWithUnusableElements(answer.body, seed: seed)
            defer { answer.body = body }
            return body != answer.body
        }
        guard let changed = Hazard.listWithUnusableElement(url, answer.body, seed: seed) else { return false }
        if changed.keepsETag {
            answer.validatedBody = answer.body
        } else {
            answer.etag = PartnerResponder.etag(changed.body)
        }
        answer.body = changed.body
        return true
    }
}
