import Foundation
import MirrorHTTP
import MirrorStore
import PartnerAPI

/// Which server a mirror is of: remembered with the first sync, and not changed by accident.
struct Origins: Sendable {
    let store: CatalogueStore
    let isNewOrigin: Bool

    struct Settled: Sendable {
        let base: String
        /// Whether nothing that is stored was confirmed by this server yet: everything is revalidated, nothing swept.
        let isNew: Bool
        /// Whether the host changes with this run: what another server said vouches for nothing.
        let isSwitch: Bool

        init(base: String, isNew: Bool = false, isSwitch: Bool = false) {
            self.base = base
            self.isNew = isNew || isSwitch
            self.isSwitch = isSwitch
        }

        /// Called once the server has answered as the partner: a mistyped address is not remembered.
        func remember(in store: CatalogueStore) throws {
            if isSwitch {
                try store.forgetValidators()
                try store.set(.newOrigin, to: "1")
            }
            if try store.fact(.origin) != base { try store.set(.origin, to: base) }
        }
    }

    /// - Throws: ``SyncError`` if there is no origin, or another host was named without saying that this is meant.
    func settle(_ address: String?, for partner: String) throws -> Settled {
        let facts = try store.facts()
        let remembered = facts[.origin]
        let isPending = facts[.newOrigin] == "1"
        if facts[.catalogue] == "1" {
            throw SyncError(
                .otherOrigin,
                "\(partner) was made by import, so there is no server to sync it from. Use mirror import, or choose another name."
            )
        }
        guard let address else {
            guard let remembered else {
                throw SyncError(
                    .otherOrigin,
                    "Where is \(partner)? Name its server once: mirror sync \(partner) --from URL")
            }
            return Settled(base: remembered, isNew: isPending)
        }
        let base = Router.base(from: address)
        guard URL(string: base)?.user() == nil, !base.contains("@") else {
            throw SyncError(
                .otherOrigin,
                "An address must not hold a name or password. Leave them out, and store them with: mirror login \(partner)"
            )
        }
        guard let new = URL(string: base), new.host() != nil, ["http", "https"].contains(new.scheme) else {
            throw SyncError(
                .otherOrigin, "That is no web address. Give one such as https://example.org/api/v1.")
        }
        guard let remembered, let old = URL(string: remembered) else {
            return Settled(base: base)
        }
        // Another port or path is the same server, unless a person says otherwise.
        if old.host() == new.host(), !isNewOrigin || base == remembered {
            return Settled(base: base, isNew: isPending)
        }
        guard isNewOrigin else {
            throw SyncError(
                .otherOrigin,
                "\(partner) is a mirror of \(old.host() ?? remembered). To take it from \(new.host() ?? base) from now on, add --new-origin."
            )
        }
        return Settled(base: base, isSwitch: true)
    }
}
