import ArgumentParser
import CatalogueSources
import MirrorStore
import MirrorSync

/// Options of `sync` and `watch` for catalogues that are read by a description.
struct SourceChoices: ParsableArguments {
    @Option(
        name: .customLong("source"), parsing: .singleValue,
        help: ArgumentHelp(
            "The source: one that mirror sources lists, or the file of a description. With it, --from replaces the base URL of the description.",
            valueName: "name-or-file"), completion: .sources)
    var sources: [String] = []

    /// `nil` without ``sources``, of which there is at most one.
    var source: String? { sources.first }

    @Option(
        help: ArgumentHelp(
            "Sync only this part of the catalogue; may be repeated. The description names the selections. \"all\" selects the whole catalogue again.",
            valueName: "name=value"),
        transform: SourceChoices.selection)
    var select: [SourceOptions.Selection?] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send at most this number of requests to a host in a time: 10/s, 60/min. Default: what the description allows.",
            valueName: "number/time"),
        transform: SourceChoices.rate)
    var rate: SourceOptions.Rate?

    @Option(
        help: ArgumentHelp(
            "What becomes of stored pictures that the source no longer offers for an artwork, mostly because their licence was withdrawn: keep (marked as withdrawn) or remove. Default: keep.",
            valueName: "what"),
        transform: SourceChoices.withdrawn)
    var withdrawn: SourceOptions.WithdrawnPictures?

    /// Whether any of the options was given.
    var hasOption: Bool { source != nil || !select.isEmpty || rate != nil || withdrawn != nil }

    func validate() throws {
        guard sources.count <= 1 else {
            throw ValidationError(
                "A mirror is a copy of one source. Give --source once, and sync the others under other names."
            )
        }
        guard select.count == 1 || !select.contains(nil) else {
            throw ValidationError("--select all selects the whole catalogue. Leave the other selections out.")
        }
    }

    /// The source of a run: the one that was named; else the one that the mirror remembers; else, for a new mirror without
    /// `--from`, the source with the mirror's name.
    ///
    /// - Throws: `ValidationError` for an option that needs a source if there is none.
    func options(of folder: MirrorFolder, from: String?, _ home: HomeOptions) throws -> SourceOptions {
        var options = SourceOptions()
        options.name = try source ?? name(of: folder, from, home)
        if !select.isEmpty { options.selection = select.compactMap(\.self) }
        options.rate = rate
        options.withdrawn = withdrawn ?? .keep
        let isForSource = !select.isEmpty || rate != nil || withdrawn != nil
        if isForSource, options.name == nil, try folder.rememberedSource() == nil {
            throw ValidationError(
                "--select, --rate and --withdrawn are for catalogues that are read by a source. Name the source with --source; mirror sources lists them."
            )
        }
        return options
    }

    private func name(of folder: MirrorFolder, _ from: String?, _ home: HomeOptions) throws -> String? {
        guard from == nil else { return nil }
        // A dry run must change nothing: files that SQLite creates beside the database are removed again.
        let file = PlanningFile(folder)
        let isNew = try folder.rememberedServer().origin == nil && !folder.isCatalogue()
        try file.restore()
        return try isNew && home.sources.names().contains(folder.name) ? folder.name : nil
    }

    static func selection(_ text: String) throws -> SourceOptions.Selection? {
        if text == "all" { return nil }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw ValidationError("Give --select as NAME=VALUE, such as department=11, or as all.")
        }
        return SourceOptions.Selection(parts[0], parts[1])
    }

    static func rate(_ text: String) throws -> SourceOptions.Rate {
        guard let rate = RequestRate(text), let requests = rate.requests else {
            throw ValidationError(
                "Give --rate as a number per s, min, h or d, such as 10/s or 60/min, and at most 10000/s.")
        }
        return SourceOptions.Rate(requests, per: rate.interval)
    }

    static func withdrawn(_ text: String) throws -> SourceOptions.WithdrawnPictures {
        guard let what = SourceOptions.WithdrawnPictures(rawValue: text) else {
            throw ValidationError("--withdrawn is keep or remove.")
        }
        return what
    }
}
