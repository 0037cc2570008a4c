import Catalogue
import CatalogueSources
import MirrorHTTP
import MirrorStore

/// Requests the new and changed members of a list in fewer requests than one for each, where the server allows it.
///
/// It takes the way with the fewest requests: several objects in one answer, or the full list, whose rows contain the objects.
/// What it doesn't get is requested one by one by the step.
struct BatchFetch {
    let environment: SyncEnvironment
    let source: DescribedSource
    let kind: Kind
    let name: ListName

    /// The way in which objects are requested.
    enum Way: Sendable, Hashable {
        case singly
        case batches(of: Int)
        case fullList

        /// - Parameters:
        ///   - count: the number of objects to request.
        ///   - batch: the maximum number of objects in one answer; `nil` if each needs a request of its own.
        ///   - pages: the number of pages of the full list; `nil` if its rows contain no objects.
        init(count: Int, batch: Int?, pages: Int?) {
            let requests = batch.map { (count + $0 - 1) / max(1, $0) } ?? count
            if let pages, pages < requests {
                self = .fullList
            } else if let batch, batch > 1, requests < count {
                self = .batches(of: batch)
            } else {
                self = .singly
            }
        }
    }

    /// The number of batches that a dry run requests itself. If there are more, it counts them, and takes samples.
    static let maximumOfPlan = 5

    /// - Parameter fullListPages: the number of pages of the full list; `nil` if it was just read, or has no objects.
    func run(_ draft: ListDraft, fullListPages: Int?) async throws {
        guard let description = source.description(of: kind), let list = description.list else { return }
        let counts = try environment.store.membersToFetch(
            of: draft.number, version: draft.version, kind: kind)
        let pages = source.catalogue.reader.listHasObjects(of: kind) ? fullListPages : nil
        switch Way(count: counts.new + counts.changed, batch: description.object.batch?.size, pages: pages) {
        case .singly: return
        case .fullList: try await readFullList(list)
        case .batches(let size):
            let requests = (counts.new + counts.changed + size - 1) / size
            if let plan = environment.planned, requests > Self.maximumOfPlan {
                plan.noteBatches(of: kind, requests: requests)
            } else {
                try await fetchBatches(of: size, draft)
            }
        }
        try await environment.applier.flush()
    }

    /// Reads the full list for its objects. It proves nothing: the list of ids and versions was proven before.
    private func readFullList(_ list: ListDescription) async throws {
        let crawl = SourceCrawl(environment: environment, source: source, kind: kind, name: name)
        var intake = ListIntake(environment, source, kind, name)
        let parts = kind == .artwork ? source.catalogue.selection : []
        let purposes: [ListCrawl.Purpose] =
            parts.isEmpty
            ? [.all(thin: false)]
            : parts.map { .selection($0.selection, value: $0.option.value, thin: false) }
        for purpose in purposes {
            _ = try await crawl.read(list, for: purpose) { page, _ in
                try await intake.takeObjects(page)
            }
        }
    }

    private func fetchBatches(of size: Int, _ draft: ListDraft) async throws {
        var position: Int64 = -1, wanted: [ExactText: String?] = [:], ids: [String] = []
        while true {
            let chunk = try environment.store.members(
                of: draft.number, version: draft.version, kind: kind, after: position, limit: 500)
            for member in chunk
            where !member.isCurrent && (member.listedETag != nil || member.stored == .nothing) {
                wanted[ExactText(member.id)] = member.listedETag
                ids.append(member.id)
                guard ids.count == size else { continue }
                try await fetch(ids, wanted)
                (ids, wanted) = ([], [:])
            }
            guard let last = chunk.last else { break }
            position = last.position
        }
        if !ids.isEmpty { try await fetch(ids, wanted) }
    }

    /// Requests several objects. If the request fails, they are requested one by one.
    private func fetch(_ ids: [String], _ versions: [ExactText: String?]) async throws {
        guard let route = source.batch(ids, of: kind) else { return }
        let operation = ListOperation(route, cache: .bypass, isReload: environment.options.full)
        do {
            guard case .body(let response) = try await environment.send(operation, for: name) else { return }
            let answers = try source.catalogue.reader.objects(response.body, ids: ids, of: kind)
            for id in ids {
                guard let answer = answers[ExactText(id)], let object = answer.object else { continue }
                let found = SourceObject(answer, source.catalogue)
                // An answer may be older than the list. Its own version then differs from the list's, and the object is requested again.
                try await environment.store(
                    found, of: kind, id: id,
                    version: object.version ?? (versions[ExactText(id)] ?? nil) ?? found.version)
            }
        } catch is HTTPError {
            return
        } catch is SourceReadingError {
            return
        }
    }
}
