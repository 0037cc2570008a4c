import Catalogue
import CatalogueSources
import Crypto
import Foundation
import MirrorStore

/// A described catalogue that a mirror is a copy of: its description, with the base URL, the selection and the rate of this run.
package struct DescribedCatalogue: Sendable {
    /// The name of the description, or the absolute path of its file.
    package let name: String
    /// Reads the server's answers. Its description has this run's base URL and rate.
    package let reader: SourceReader
    /// The base URL that the description names. That of the run may have replaced it.
    package let describedBase: String
    /// The hash of what is read by the description: equal hashes mean equal reading.
    package let hash: String
    /// The selected parts of the catalogue; empty for the whole catalogue.
    package let selection: [Part]
    package let withdrawn: SourceOptions.WithdrawnPictures
    /// What the mirror remembered before this run; `nil` for a new mirror.
    package let remembered: RememberedSource?
    /// Whether this run may send more requests than the description allows.
    package let isFasterThanAllowed: Bool

    /// A part of the catalogue, with the request for its list.
    package struct Part: Sendable, Hashable {
        package let option: SourceOptions.Selection
        package let selection: SourceDescription.Selection
    }

    /// The description.
    package var description: SourceDescription { reader.description }
    /// The partner's id: the description's.
    package var partnerID: String { description.id }

    /// Loads the catalogue that a mirror is a copy of.
    ///
    /// - Parameters:
    ///   - options: the source for this run; what it leaves out is remembered.
    ///   - remembered: what the mirror remembers of its source; `nil` for a new mirror, and for one of the Partner API.
    ///   - base: another base URL than the description's, such as that of a test server; `nil` for the remembered one if it was
    ///     given so, or else the description's.
    ///   - folder: the mirror's folder, which needn't exist. Descriptions are in the folder `sources` beside it.
    /// - Returns: `nil` if neither the options nor the mirror name a source: the server has the Partner API.
    /// - Throws: ``SyncError`` with code `source` for a description that can't be used, or a selection that it doesn't have.
    package static func load(
        _ options: SourceOptions, remembered: RememberedSource?, base: String?, in folder: MirrorFolder
    ) throws -> DescribedCatalogue? {
        guard let name = try options.name.map(fullName) ?? remembered?.name else { return nil }
        do {
            let (described, file) = try description(name, in: folder.home.sources)
            var description = described
            if let base {
                description = try description.moved(to: base)
            } else if let remembered, remembered.name == name, !remembered.follows(described) {
                description.base = remembered.base
            }
            let usual = description.rate
            if let rate = options.rate {
                (description.rate.requests, description.rate.interval) = (rate.requests, rate.interval)
            }
            let reader = try SourceReader(description, file: file)
            return DescribedCatalogue(
                name: name, reader: reader, describedBase: described.base, hash: digest(description),
                selection: try parts(options, remembered, description),
                withdrawn: options.withdrawn, remembered: remembered,
                isFasterThanAllowed: description.rate.spacing < usual.spacing)
        } catch let error as SourceDescriptionError {
            throw SyncError(.source, error.description, cause: error)
        }
    }

    /// A path is remembered as an absolute one, because the next sync may run in another folder.
    private static func fullName(_ name: String) throws -> String {
        guard name.contains("/") || name.hasSuffix(".yaml") else { return name }
        return URL(fileURLWithPath: name).standardizedFileURL.path
    }

    /// The description, and the name of its file for messages.
    private static func description(
        _ name: String, in sources: SourceFolder
    ) throws -> (SourceDescription, file: String) {
        if name.hasPrefix("/") { return (try SourceFolder.description(at: name), name) }
        return (
            try sources.description(named: name), try sources.path(named: name) ?? "\(name).yaml"
        )
    }

    private static func parts(
        _ options: SourceOptions, _ remembered: RememberedSource?, _ description: SourceDescription
    ) throws -> [Part] {
        let chosen = options.selection ?? remembered?.selection.map { .init($0.name, $0.value) } ?? []
        return try chosen.map { option in
            if let selection = description.selections[option.name] {
                return Part(option: option, selection: selection)
            }
            let names = description.selections.keys.sorted().joined(separator: ", ")
            throw SyncError(
                .source,
                "The source \(description.id) has no selection called \"\(option.name)\". "
                    + (names.isEmpty ? "Leave out --select: it has none." : "It has: \(names)."))
        }
    }

    /// Covers what decides how objects are read: a description that only has another rate or another base reads the same.
    private static func digest(_ description: SourceDescription) -> String {
        let objects = description.kinds.map { kind in
            [
                kind.kind.name, kind.list?.rows.sql ?? "", kind.object.batch?.rows?.sql ?? "",
                kind.object.root ?? "", kind.object.row.sql, kind.object.artists?.sql ?? "",
                kind.object.images?.sql ?? "", kind.object.members?.sql ?? "",
                kind.object.volatile.joined(separator: ","),
            ].joined(separator: "\u{0}")
        }
        let text = ([description.language ?? ""] + objects).joined(separator: "\u{1}")
        return SHA256.hash(data: Data(text.utf8)).prefix(8).map { String($0, radix: 16) }.joined(
            separator: ".")
    }
}

extension DescribedCatalogue {
    /// Whether this run selects other parts of the catalogue than the run before.
    package var hasNewSelection: Bool {
        remembered.map { $0.selection != selection.map(\.remembered) } ?? false
    }

    /// Whether the mirror may have objects that the selection doesn't list: nothing is concluded from their absence.
    package var hasFormerSelection: Bool { hasNewSelection || remembered?.hasFormerSelection == true }

    /// Whether the description reads objects in another way than at the last sync, so that unchanged ones must be read again.
    package var isNewlyDescribed: Bool { remembered.map { $0.descriptionHash != hash } ?? false }

    /// What is remembered as soon as the server has answered.
    func toRemember(base: String) -> RememberedSource {
        toRemember(base: base, isRead: false, hasFormerSelection: hasFormerSelection)
    }

    /// What the mirror remembers of this run.
    ///
    /// - Parameters:
    ///   - base: the base URL of the run.
    ///   - isRead: whether everything was read by this description. If not, the next run does it.
    ///   - hasFormerSelection: whether the mirror may have objects that the selection doesn't list.
    func toRemember(base: String, isRead: Bool, hasFormerSelection: Bool) -> RememberedSource {
        RememberedSource(
            name: name, base: base, describedBase: describedBase, selection: selection.map(\.remembered),
            descriptionHash: isRead ? hash : remembered?.descriptionHash ?? hash,
            hasFormerSelection: hasFormerSelection)
    }
}

extension RequestRate {
    /// The time between two requests; zero without a limit.
    fileprivate var spacing: Duration { requests.map { interval / $0 } ?? .zero }
}

extension RememberedSource {
    /// Whether the base URL of the next run is the description's: it has changed since the last sync, which used it.
    ///
    /// A base from `--from` is kept, also if the description changes its own.
    fileprivate func follows(_ description: SourceDescription) -> Bool {
        base == describedBase && base != description.base
    }
}

extension DescribedCatalogue.Part {
    fileprivate var remembered: RememberedSource.Selection { .init(option.name, option.value) }
}
