import CatalogueSources
import Foundation
import MirrorHTTP

extension SourceDescription {
    /// The rules of the description for requests to its server.
    ///
    /// - Parameters:
    ///   - environment: The environment variables, one of which contains the key if the server requires one.
    ///   - rate: The rate to use; `nil`, the default, for that of the description.
    ///   - longestWait: The maximum time of all waits of one request; `nil`, the default, for one that the blocks permit.
    ///   - restore: Returns a host's count of the day that was stored last. Default: there is none.
    ///   - store: Stores a host's count of the day durably. Default: does nothing.
    /// - Throws: ``SyncError`` with code `secret` if the variable of the key isn't set, or its value can't be sent; with code `source` for
    ///   a header field that isn't valid.
    package func hostRules(
        environment: [String: String], rate: RequestRate? = nil, longestWait: Duration? = nil,
        restore: @escaping @Sendable (Origin) throws -> RequestBudget.DayCount? = { _ in nil },
        store: @escaping @Sendable (Origin, RequestBudget.DayCount) throws -> Void = { _, _ in }
    ) throws(SyncError) -> HostRules {
        let rate = rate ?? self.rate
        let key = try key(environment)
        do {
            return try HostRules(
                limits: RequestBudget.Limits(
                    requests: rate.requests, per: rate.interval, perDay: rate.perDay, parallel: rate.parallel),
                blocks: blocked.map(HostBlockRule.init), key: key,
                headers: headers.map { ($0.name, $0.value) }, contact: contact, hosts: Set(hosts),
                longestWait: longestWait, restore: restore, store: store)
        } catch {
            throw SyncError(.source, "The description of \(id): \(error.message)", cause: error)
        }
    }

    /// The key, from the environment variable that the description names.
    private func key(_ environment: [String: String]) throws(SyncError) -> MirrorHTTP.AccessKey? {
        guard let key else { return nil }
        guard let value = environment[key.variable], !value.isEmpty else {
            let place = website.map { " (\($0))" } ?? ""
            throw SyncError(
                .secret,
                "The server of \(id) requires a key, but the environment variable \(key.variable) isn't set. Ask the museum\(place) for a key, and set the variable: export \(key.variable)=KEY"
            )
        }
        guard MirrorHTTP.AccessKey.canSend(value) else {
            throw SyncError(
                .secret,
                "The key in the environment variable \(key.variable) begins or ends with a space, or contains line breaks or characters that aren't ASCII. Set the variable again: export \(key.variable)=KEY"
            )
        }
        let place: MirrorHTTP.AccessKey.Place =
            switch key.place {
            case .query(let name): .query(name)
            case .header(let name): .header(name)
            }
        do {
            return try MirrorHTTP.AccessKey(place, value: value)
        } catch {
            throw SyncError(.source, "The description of \(id): \(error.message)", cause: error)
        }
    }
}

extension DescribedCatalogue {
    /// The rules for requests to the server.
    ///
    /// - Parameter days: counts the requests of each day.
    func hostRules(counting days: RequestDays) throws -> HostRules {
        try description.hostRules(
            environment: ProcessInfo.processInfo.environment, restore: { try days.restore($0) },
            store: { try days.store($0, $1) })
    }
}

extension HostBlockRule {
    init(_ rule: BlockRule) {
        let sign: Sign =
            switch rule.sign {
            case .status(let status): .status(status)
            case .type(let type): .mediaType(type)
            case .header(let name): .header(name)
            }
        let meaning: Meaning =
            switch rule.meaning {
            case .wait(let time): .wait(time)
            case .ended: .ended
            }
        self.init(sign, meaning)
    }
}
