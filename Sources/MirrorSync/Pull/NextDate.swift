import Catalogue
import Foundation
import MirrorStore

/// What is stored for the next pull of a kind when everything of this one came.
struct NextDate {
    let kind: Kind
    let stored: SinceRecord?
    /// Which media were wanted; `nil` for none.
    let media: String?
    let now: Date
    /// When the server made the oldest answer that a cache had kept and that nothing told to be the latest, seconds since
    /// 1970: whatever changed since then may be missing.
    var oldest: Double?

    /// - Parameters:
    ///   - pulled: what changed, if the kind was pulled.
    ///   - list: when the server made the kind's whole list, if that was looked at.
    ///   - end: the moment behind the last change that the list has, where the server said so.
    ///   - isAudited: whether the server's digest took the place of the whole list.
    func after(
        _ pulled: PulledChanges?, list: Double?, end: Timestamp? = nil, isAudited: Bool = false
    ) -> FinishRequest.Since? {
        if let pulled {
            let next = capped(
                SinceRule.next(
                    date: pulled.date, latestChange: pulled.latestChange, before: pulled.since,
                    end: pulled.end))
            // Of what changed, no pictures came: the next run that wants some looks at everything.
            let formats = media == nil && !pulled.isEmpty ? nil : stored?.formats
            let record = SinceRecord(
                since: next, auditedAt: isAudited ? now : stored?.auditedAt, formats: formats)
            // What was taken out of a list under an object goes with the sweep, too.
            return FinishRequest.Since(kind: kind, record: record, needsSweep: true)
        }
        guard let list else { return nil }
        let next = capped(
            SinceRule.next(
                date: Date(timeIntervalSince1970: list), latestChange: nil, before: nil, end: end))
        let record = SinceRecord(since: next, auditedAt: now, formats: media)
        return FinishRequest.Since(kind: kind, record: record, needsSweep: true)
    }

    private func capped(_ next: String?) -> String? {
        guard let oldest, let next = next.flatMap({ Timestamp($0) }) else { return next }
        return min(next, SinceRule.reaching(back: oldest)).text
    }
}
