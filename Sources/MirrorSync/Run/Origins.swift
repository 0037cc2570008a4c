import Catalogue
import CatalogueSources
import MirrorHTTP
import MirrorStore

/// Decides which server a mirror is synced from. The first sync remembers it; it is never changed by accident.
package struct Origins: Sendable {
    let store: CatalogueStore
    let isNewOrigin: Bool
    /// The file of certificate authorities that was set for this run.
    var caFile: String?
    /// The sources that a mirror without a server may have been meant to be a copy of; `nil`, the default, to name none.
    var sources: SourceFolder?

    struct Resolved: Sendable {
        let base: String
        /// Whether an earlier run changed the host, and no run was complete since.
        fileprivate(set) var isPending = false
        /// Whether this run changes the host. The former server's validators are then not used.
        fileprivate(set) var originChanged = false
        /// The file of certificate authorities for this server; `nil` for the default ones.
        fileprivate(set) var caFile: String?

        /// Whether this server has not confirmed the stored data yet: everything is revalidated and nothing is swept.
        var isNew: Bool { isPending || originChanged }

        /// Remembers the origin. Called after the server has answered as the partner, so that a mistyped address is not
        /// remembered.
        ///
        /// - Parameter source: the described source that the mirror is a copy of, which is remembered together with the origin.
        func remember(in store: CatalogueStore, source: RememberedSource? = nil) throws {
            if originChanged {
                try store.forgetValidators()
                try store.setNewOrigin(true)
            }
            if let source { try store.setSource(source) } else { try store.setOrigin(base) }
            try rememberCAFile(in: store)
        }

        func rememberCAFile(in store: CatalogueStore) throws {
            try store.setCAFile(caFile)
        }
    }

    /// The file of certificate authorities that a run uses: the one set for this run, else the remembered one.
    ///
    /// The remembered file is not used for another server.
    package static func caFile(named: String?, remembered: String?, originChanged: Bool) -> String? {
        named ?? (originChanged ? nil : remembered)
    }

    /// Whether the base URL of a run replaces the remembered one.
    static func originChanged(to base: String, from remembered: String?, isNewOrigin: Bool) -> Bool {
        guard isNewOrigin, let remembered else { return false }
        return base != remembered
    }

    /// Determines the server of this run.
    ///
    /// - Throws: ``SyncError`` if no origin is known, or if `address` is on another host and `isNewOrigin` is `false`.
    func resolve(_ address: String?, for partner: String) throws -> Resolved {
        var resolved = try resolvedServer(address, for: partner)
        resolved.caFile = Self.caFile(
            named: caFile, remembered: try store.caFile, originChanged: resolved.originChanged)
        return resolved
    }

    private func resolvedServer(_ address: String?, for partner: String) throws -> Resolved {
        let remembered = try store.origin, isPending = try store.isNewOrigin
        if try store.isCatalogue {
            throw Self.noServer(of: partner)
        }
        guard let address else {
            guard let remembered else {
                throw unknownServer(of: partner)
            }
            return Resolved(base: remembered, isPending: isPending)
        }
        let base = try ServerAddress.base(from: address, of: partner)
        guard let remembered, let old = Self.host(of: remembered), let new = Self.host(of: base) else {
            return Resolved(base: base)
        }
        // Another port or path is the same server, unless --new-origin says otherwise.
        if old == new, !isNewOrigin || base == remembered {
            return Resolved(base: base, isPending: isPending)
        }
        guard isNewOrigin else {
            throw Self.refused(
                "\(partner) is a mirror of \(old). To sync it from \(new) from now on, add --new-origin.")
        }
        return Resolved(base: base, originChanged: true)
    }

    /// Determines the server of this run for a described catalogue, whose base URL the catalogue already has.
    ///
    /// - Throws: ``SyncError`` if the mirror was synced from another host before, and `isNewOrigin` is `false`.
    func resolve(_ catalogue: DescribedCatalogue, for partner: String) throws -> Resolved {
        let base = catalogue.description.base, remembered = try store.origin
        if try store.isCatalogue { throw Self.noServer(of: partner) }
        if remembered != nil, catalogue.remembered == nil {
            throw Self.refused(
                "\(partner) is a mirror of a server with the Partner API. Choose another name for a mirror of the source \(catalogue.partnerID)."
            )
        }
        var resolved = Resolved(base: base, isPending: try store.isNewOrigin)
        if let remembered, base != remembered {
            let (old, new) = (Self.host(of: remembered), Self.host(of: base))
            guard isNewOrigin || old == new else {
                throw Self.refused(
                    "\(partner) is a mirror of \(old ?? remembered). To sync it from \(new ?? base) from now on, add --new-origin."
                )
            }
            resolved.originChanged = isNewOrigin
        }
        resolved.caFile = Self.caFile(
            named: caFile, remembered: try store.caFile, originChanged: resolved.originChanged)
        return resolved
    }

    /// The error for a mirror without a server, with the source that its name may be a misspelling of.
    private func unknownServer(of partner: String) -> SyncError {
        // A folder of sources that can't be read only costs the suggestion.
        let nearest = try? sources?.nearest(to: partner)
        let suggestion = nearest.map { "Did you mean the source \($0): mirror sync \($0)? Otherwise name" }
        return Self.refused(
            "The server of \(partner) is not known yet. \(suggestion ?? "Name") it once: mirror sync \(partner) --from URL. Or choose one of the sources that mirror sources lists: mirror sync \(partner) --source NAME"
        )
    }

    /// The error of syncing or watching a mirror that was imported from a catalogue's files.
    static func noServer(of partner: String) -> SyncError {
        refused(
            "\(partner) was made by import, so there is no server to sync it from. Use mirror import, or choose another name."
        )
    }

    private static func refused(_ message: String) -> SyncError { SyncError(.otherOrigin, message) }

    private static func host(of base: String) -> String? { WebAddress(base)?.origin.host }
}

/// Normalises the address of a partner's server.
package enum ServerAddress {
    /// An address as it is, with scheme and host in lower case, and an international host name in ASCII.
    ///
    /// - Throws: ``SyncError`` if it is not a web address that paths can be appended to, or contains a name or password. The
    ///   message doesn't repeat it.
    static func web(_ address: String) throws(SyncError) -> WebAddress {
        guard !address.contains("@") else {
            throw SyncError(
                .otherOrigin, "An address must not contain a name or password. Leave them out.")
        }
        guard !address.contains(where: { "?#{}".contains($0) }), let web = WebAddress(address) else {
            throw SyncError(
                .otherOrigin,
                "That is not a web address without a query. Use one such as https://example.org/api.")
        }
        return web
    }

    /// The server's base address in normal form: scheme and host in lower case, an international host name in ASCII, and
    /// `/api/v1` added if it is missing.
    ///
    /// - Throws: ``SyncError`` if `address` is not a web address, or contains a name or password. The message doesn't repeat
    ///   the address.
    package static func base(from address: String, of partner: String) throws(SyncError) -> String {
        // An "@" anywhere is refused: a password may contain a slash, so "@" may follow what looks like the host.
        guard !address.contains("@") else {
            throw SyncError(
                .otherOrigin,
                "An address must not contain a name or password. Leave them out, and store them with: mirror login \(partner) --from URL --name NAME"
            )
        }
        guard !address.contains(where: "{}".contains), let web = WebAddress(Router.base(from: address)) else {
            throw SyncError(
                .otherOrigin, "That is not a web address. Use one such as https://example.org/api/v1.")
        }
        return web.text
    }
}
