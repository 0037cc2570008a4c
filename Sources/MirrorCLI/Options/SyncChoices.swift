import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// Options of `sync` and `watch`: what to fetch, how fast, and how much may be removed.
struct SyncChoices: ParsableArguments {
    @Flag(
        help:
            "Request every list and object again, unconditionally and past all caches. Stored files are not downloaded again."
    )
    var full = false

    @Flag(help: "Don't download pictures and documents.")
    var noMedia = false

    @Option(
        help: ArgumentHelp(
            "The picture formats to download: square, medium, larger, normalized, separated by commas; or default. Default: those of the last sync. A new mirror stores larger, else the largest available, and medium as well of each object's first picture.",
            valueName: "names"),
        transform: SyncChoices.formats)
    var formats: PictureFormats?

    @Flag(help: "Request pictures again even if their entry did not change.")
    var revalidateMedia = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send always this number of concurrent requests to a host, 1 to 256; half of them for pictures. By default the number follows the server: up to 16 with HTTP/1.1, up to 128 with HTTP/2.",
            valueName: "n"))
    var jobs: Int?

    @OptionGroup var guardOptions: GuardOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Reject a list with more members than this.", valueName: "n"))
    var maxObjects = 5_000_000

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The longest time to wait for a failing server, all waits together: \(DurationArgument.form). Default: 1h.",
            valueName: "time"),
        transform: { try DurationArgument.parse($0) })
    var maxWait: Duration?

    @Flag(help: "Don't wait for a failing server: report failed requests at once.")
    var failFast = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Compare the full lists at least once in this time. Default: 7d.",
            valueName: "time"),
        transform: { try DurationArgument.parse($0) })
    var auditEvery: Duration?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Remove shows that ended longer ago than this, such as 2y, with what belongs only to them. Default: keep all shows.",
            valueName: "time"),
        transform: { try DurationArgument.parse($0, least: ("1d", "; write months as mo, as in 6mo")) })
    var keepShows: Duration?

    func validate() throws {
        guard (1...256).contains(jobs ?? 1) else {
            throw ValidationError("--jobs must be a number from 1 to 256.")
        }
        guard maxObjects > 0 else { throw ValidationError("--max-objects must be greater than 0.") }
    }

    /// The number of connections at the same time. By default, 16 to the server and 32 to other hosts of pictures; with HTTP/2
    /// there are fewer.
    var connections: Int { jobs ?? 48 }

    /// The run's options that `sync` and `watch` share: from this group and from two other groups of the same command.
    ///
    /// - Throws: ``CommandError`` with code `options` if `options.json` can't be read.
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
        options.maxDelete = guardOptions.maxDelete ?? .standard
        options.maxDeleteIsChosen = guardOptions.maxDelete != nil
        if let maxWait = maxWait { options.maxWait = maxWait }
        options.failFast = failFast
        if let auditEvery { options.auditEvery = auditEvery }
        options.keepShows = keepShows
        return options
    }

    /// - Throws: `ValidationError` for a name that is not a picture format.
    static func formats(_ text: String) throws -> PictureFormats {
        if text == "default" { return .standard }
        let known = ImageEntry.formats
        var names: [String] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.trimmingPrefix { $0 == " " }
            guard let format = known.first(where: { $0 == name }) else {
                let list = known.dropLast().joined(separator: ", ")
                throw ValidationError(
                    "There is no picture format \"\(String(name).printable)\". The formats are \(list) and \(known.last ?? ""), separated by commas."
                )
            }
            if !names.contains(format) { names.append(format) }
        }
        return .named(names)
    }
}

/// The option that sets the delete guard's limit.
struct GuardOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How much may be removed: a share of each kind such as 20%, or a total number. Default: 20%.",
            valueName: "limit"),
        transform: {
            try DeleteGuard.Limit($0).orInvalid("Give a share such as 20%, or a number such as 150.")
        })
    var maxDelete: DeleteGuard.Limit?
}
