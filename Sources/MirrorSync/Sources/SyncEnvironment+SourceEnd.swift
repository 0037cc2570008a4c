import Catalogue
import CatalogueSources
import MirrorStore

/// What a described source means for the end of a run.
extension SyncEnvironment {
    /// Adds the rules of a described source to the end of a run.
    ///
    /// - Parameter isComplete: whether all lists were complete and every object could be stored.
    func addSourceRules(to request: inout FinishRequest, isComplete: Bool) {
        guard let described else { return }
        request.joinsPlaces = described.placesArtworks
        for kind in request.kinds {
            guard let gone = described.description(of: kind)?.gone else { continue }
            request.absences[kind] = AbsenceRule(lists: gone.lists, apart: gone.apart)
        }
        let catalogue = described.catalogue
        if catalogue.hasFormerSelection {
            // Objects that only an earlier selection listed are removed if the user says so, but not in the run that changes it.
            let mayRemove = !catalogue.hasNewSelection && options.maxDeleteIsChosen
            request.kinds = mayRemove ? request.kinds.intersection([.artwork]) : []
            request.absences = [:]
        }
        guard !catalogue.hasNewSelection else { return }
        let state = report.current
        for (kind, ids) in state.signalled where !ids.isEmpty && !state.continued.contains(kind) {
            request.signalled[kind] = ids
        }
        if isComplete, state.proven.contains(.artwork) { request.gathered = described.gathered }
    }

    /// Reports the pictures that were not fetched because of their addresses.
    func reportRefusedPictures() {
        for (host, count) in report.current.refusedPictures.sorted(by: { $0.key < $1.key }) {
            report.problem(
                Problem(
                    what: "host", kind: Kind.artwork.name, id: nil,
                    message:
                        "\(count) \(count == 1 ? "picture" : "pictures") on \(host) \(count == 1 ? "was" : "were") not fetched, because the description doesn't list this host. If it is the right one, add it to hosts in the description."
                ))
        }
        let unusable = report.current.unusablePictures
        guard unusable > 0 else { return }
        let (pictures, addresses) =
            unusable == 1 ? ("picture was", "its address is no") : ("pictures were", "their addresses are no")
        report.problem(
            Problem(
                what: "picture", kind: Kind.artwork.name, id: nil,
                message:
                    "\(unusable) \(pictures) not fetched, because \(addresses) HTTP or HTTPS \(unusable == 1 ? "URL" : "URLs"). The columns \"url\" and \"iiif\" of images must be whole addresses without a user's name, such as https://images.museum.org/1.jpg."
            ))
    }

    /// Remembers, at the end of a run, that everything was read by the present description and selection, if so.
    func concludeSource(isComplete: Bool) throws {
        guard let described, let base = try store.source?.base, report.current.proven.contains(.artwork),
            let url = described.listURL(of: .artwork)
        else { return }
        let catalogue = described.catalogue
        let others = catalogue.hasFormerSelection ? try store.unlisted(.artwork, in: url).count : 0
        try store.setSource(
            catalogue.toRemember(base: base, isRead: isComplete, hasFormerSelection: others > 0))
        guard others > 0 else { return }
        logger.notice(
            "\(others) artworks are not in the selection, and stay in the mirror. To remove them: mirror sync \(partner) --max-delete \(others)"
        )
    }
}
