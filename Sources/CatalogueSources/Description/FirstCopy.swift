/// About how many requests a first copy of a catalogue takes, and how long.
///
/// Only artworks are counted, and no pictures: a description says nothing about the number of others.
package struct FirstCopy: Sendable, Hashable, CustomStringConvertible {
    /// The number of requests for lists and objects.
    package var requests: Int
    /// The least time that the description's rate permits; `nil` if it permits any rate, so that the server decides.
    package var duration: Duration?

    /// - Parameters:
    ///   - works: the number of artworks.
    ///   - form: how the list is divided.
    ///   - size: the number of entries of a page; ignored for a whole list.
    ///   - objectsPerRequest: 1 if each object has a request of its own, the size of a batch if several share one, 0 if the list
    ///     contains the objects.
    ///   - rate: the limits for requests.
    package init(
        works: Int, form: ListDescription.Form, size: Int?, objectsPerRequest: Int, rate: RequestRate
    ) {
        let pages = form == .whole ? 1 : Self.parts(of: works, size: size ?? works)
        requests = pages + (objectsPerRequest > 0 ? Self.parts(of: works, size: objectsPerRequest) : 0)
        duration = Self.duration(of: requests, rate)
    }

    /// `nil` for a description that doesn't say how many works there are, or has no list of artworks.
    ///
    /// - Parameter listHasObjects: whether the list's rows have a column `object`.
    package init?(_ description: SourceDescription, listHasObjects: Bool) {
        guard let works = description.works, let artworks = description[.artwork], let list = artworks.list
        else {
            return nil
        }
        self.init(
            works: works, form: list.form, size: list.size,
            objectsPerRequest: listHasObjects ? 0 : artworks.object.batch?.size ?? 1, rate: description.rate)
    }

    private static func parts(of count: Int, size: Int) -> Int {
        max(1, count / max(size, 1) + (count % max(size, 1) > 0 ? 1 : 0))
    }

    /// The day's requests are used up first, then the next day is waited for.
    private static func duration(of requests: Int, _ rate: RequestRate) -> Duration? {
        let pause = rate.requests.map { Double(rate.interval.components.seconds) / $0 }
        let steady = pause.map { $0 * Double(requests) }, days = rate.perDay.map { (requests - 1) / $0 } ?? 0
        guard let perDay = rate.perDay, days > 0 else { return steady.map { .seconds($0.rounded()) } }
        let last = (pause ?? 0) * Double(requests - days * perDay)
        return .seconds(max(steady ?? 0, Double(days) * 86_400 + last).rounded())
    }

    /// `about 498,000 requests, about 6 days`
    package var description: String {
        let count = requests == 1 ? "1 request" : "about \(Self.rounded(requests)) requests"
        return duration.map { "\(count), \(Self.text($0))" } ?? count
    }

    private static func text(_ duration: Duration) -> String {
        let seconds = Double(duration.components.seconds)
        // From 90 on in the smaller unit, so that rounding changes little.
        for (unit, name, limit) in [
            (60.0, "minute", 90 * 60.0), (3_600, "hour", 36 * 3_600), (86_400, "day", .infinity),
        ]
        where seconds < limit {
            let number = Int((seconds / unit).rounded())
            if number == 0 { return "less than a minute" }
            return "about \(rounded(number)) \(name)\(number == 1 ? "" : "s")"
        }
        return "less than a minute"
    }

    /// The number with three digits that count, and commas.
    private static func rounded(_ number: Int) -> String {
        var unit = 1
        while number / unit >= 1_000 { unit *= 10 }
        return ((number + unit / 2) / unit * unit).grouped
    }
}

extension Int {
    /// `498,000`
    package var grouped: String {
        var rest = Substring(String(magnitude)), groups: [Substring] = []
        while rest.count > 3 {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return (self < 0 ? "-" : "") + ([rest] + groups).joined(separator: ",")
    }
}
