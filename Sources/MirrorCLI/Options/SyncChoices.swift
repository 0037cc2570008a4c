import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// What a sync fetches, how fast, and how much it may remove.
struct SyncChoices: ParsableArguments {
    @Flag(
        help:
            "Request every list and object again, unconditionally and past all caches. Stored files are not downloaded again."
    )
    var full = false

    @Flag(help: "Leave out the bytes of pictures and documents.")
    var noMedia = false

    @Option(
        help: ArgumentHelp(
            "Picture formats to keep, of square, medium, larger and normalized, separated by commas. Default: larger, else the largest offered.",
            valueName: "names"),
        transform: SyncChoices.formats)
    var formats: [String]?

    @Flag(help: "Ask again for pictures whose entry did not change.")
    var revalidateMedia = false

    @Option(help: ArgumentHelp("Requests at once, 1 to 256; half as many for pictures.", valueName: "n"))
    var jobs = 16

    @OptionGroup var guardOptions: GuardOptions

    @Option(help: ArgumentHelp("Refuse a list with more members.", valueName: "n"))
    var maxObjects = 5_000_000

    @Option(
        help: ArgumentHelp(
            "The longest to wait for a server in trouble, all waits together: \(DurationArgument.form). Default: 1h.",
            valueName: "time"),
        transform: { try DurationArgument.parse($0) })
    var maxWait: Duration?

    @Flag(help: "Don't wait for a server in trouble: what fails has failed.")
    var failFast = false

    @Option(
        help: ArgumentHelp(
            "Look at the full lists at least once in this time, however little changed. Default: 7d.",
            valueName: "time"),
        transform: { try DurationArgument.parse($0) })
    var auditEvery: Duration?

    @Option(
        help: ArgumentHelp(
            "Remove shows that ended longer ago than this, such as 2y, with what belongs to them alone. Default: keep them for ever.",
            valueName: "time"),
        transform: { try DurationArgument.parse($0, least: ("1d", "; for months write mo, as in 6mo")) })
    var keepShows: Duration?

    func validate() throws {
        guard (1...256).contains(jobs) else { throw ValidationError("--jobs is a number from 1 to 256.") }
        guard maxObjects > 0 else { throw ValidationError("--max-objects is a number above 0.") }
    }

    /// These choices and what two other groups of the same command say: all that a run is asked for by `sync` and `watch` alike.
    ///
    /// - Throws: ``CommandError`` with code `options` where `options.json` can't be read.
    func options(_ certificates: CertificateOptions, _ home: HomeOptions) throws -> SyncOptions {
        var options = SyncOptions()
        options.caFile = certificates.path
        options.tiles = try home.features().contains(FeatureTable.tiles)
        options.full = full
        options.media = !noMedia
        options.formats = formats
        options.revalidateMedia = revalidateMedia
        options.jobs = jobs
        options.maxObjects = maxObjects
        options.maxDelete = guardOptions.maxDelete
        if let maxWait = maxWait { options.maxWait = maxWait }
        options.failFast = failFast
        if let auditEvery { options.auditEvery = auditEvery }
        options.keepShows = keepShows
        return options
    }

    /// - Throws: `ValidationError` for a name that no server gives a format.
    static func formats(_ text: String) throws -> [String] {
        let known = ImageEntry.formats
        var names: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.trimmingPrefix { $0 == " " }
            guard let format = known.first(where: { $0 == name }) else {
                let list = known.dropLast().joined(separator: ", ")
                throw ValidationError(
                    "There is no picture format \"\(String(name).printable)\": the formats are \(list) and \(known.last ?? ""), separated by commas."
                )
            }
            if !names.contains(format) { names.append(format) }
        }
        return names
    }
}

/// How much a run may remove before the delete guard stops it.
struct GuardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much may be removed: a share of each kind such as 20%, or a number in all. Default: 20%.",
            valueName: "limit"),
        transform: {
            try DeleteGuard.Limit($0).orInvalid("Give a share such as 20%, or a number such as 150.")
        })
    var maxDelete: DeleteGuard.Limit = .standard
}
