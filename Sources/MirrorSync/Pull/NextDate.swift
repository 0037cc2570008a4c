import Foundation
import MirrorStore
import PartnerAPI

/// What is stored for the next pull of a kind when everything of this one came.
struct NextDate {
    let kind: ObjectKind
    let stored: SinceRecord?
    /// Which media were wanted; `nil` for none.
    let media: String?
    let now: Date

    /// - Parameters:
    ///   - pulled: what changed, if the kind was pulled.
    ///   - list: when the server made the kind's whole list, if that was looked at.
    ///   - begin: from when on the server knows all that changed, if it says so: it would refuse an earlier date.
    func after(_ pulled: PulledChanges?, list: Double?, begin: Timestamp? = nil) -> FinishRequest.Since? {
        if let pulled {
            let next = SinceRule.next(
                date: pulled.date, latestChange: pulled.latestChange, before: pulled.since)
            // Of what changed, no pictures came: the next run that wants some looks at everything.
            let formats = media == nil && !pulled.isEmpty ? nil : stored?.formats
            let record = SinceRecord(since: next, auditedAt: stored?.auditedAt, formats: formats)
            return FinishRequest.Since(kind: kind, record: record, needsSweep: false)
        }
        guard let list else { return nil }
        // `Date` has whole seconds.
        var next = SinceRule.next(
            date: Date(timeIntervalSince1970: list), latestChange: nil, before: nil)
        if let begin, begin.secondsSince1970 < list + 1, let early = next.flatMap({ Timestamp($0) }),
            early < begin
        {
            next = begin.text
        }
        let record = SinceRecord(since: next, auditedAt: now, formats: media)
        return FinishRequest.Since(kind: kind, record: record, needsSweep: true)
    }
}
