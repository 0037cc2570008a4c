import Catalogue
import MirrorHTTP
import MirrorStore

/// Asks for some lists of documents and pictures that changed, to learn how many files a sync will fetch for them.
struct PlanChangedLists: Sendable {
    let environment: SyncEnvironment
    let plan: PlanRecorder

    private var store: CatalogueStore { environment.store }

    /// Documents of one list whose sizes are asked for.
    private static let measured = 3
    /// Pages of a show's pictures that are read.
    private static let pageLimit = 10

    // MARK: - Documents

    /// How many documents that are not here each list names, and bytes of some of them.
    func documents(_ owners: [Owner]) async throws -> (counts: [SampledGroup], sizes: [SampledGroup]) {
        let looks = try await environment.looks(at: owners) { owner in
            let new = try await newDocuments(of: owner)
            var sizes: [Double] = []
            for id in new.prefix(Self.measured) {
                if let size = try await size(of: id, owner) { sizes.append(size) }
            }
            return (count: new.count, sizes: sizes)
        }
        return (
            looks.map { SampledGroup(count: 1, sum: Double($0.count)) },
            looks.filter { !$0.sizes.isEmpty }.map {
                SampledGroup(count: Double($0.sizes.count), sum: $0.sizes.reduce(0, +))
            }
        )
    }

    private func newDocuments(of owner: Owner) async throws -> [String] {
        do {
            let list = SubList(.documents, of: OwnerLists(owner, partner: environment.partnerID), environment)
            let stored = Set(try store.storedDocuments(of: owner).map { ExactText($0.id) })
            return try await list.requestAgain()?.ids.filter { !stored.contains(ExactText($0)) } ?? []
        } catch let error as HTTPError where error.isNotOffered {
            return []
        }
    }

    /// Bytes of a document's file, as its JSON or the file's head says; 0 for one without a file.
    private func size(of id: String, _ owner: Owner) async throws -> Double? {
        let operation = FetchOperation(environment.router.document(id, of: owner), cache: .bypass)
        guard case .body(let response) = try await environment.send(operation) else {
            return nil
        }
        let document = try Document.read(response.jsonObject(), id: id, report: environment.report)
        guard let uri = document.uri else { return 0 }
        if let size = document.size { return Double(size) }
        return try await environment.lengthOfFile(uri, accept: "*/*")
    }

    // MARK: - Installation shots and covers

    /// The pictures that a sync will fetch for each list, and how many more those are than for what is here.
    func shots(
        _ lists: [PlanTally.PictureList]
    ) async throws -> [(more: Int, pictures: [PlanSampling.Picture])] {
        try await environment.looks(at: lists) { list in
            do {
                return try await environment.pictures(
                    in: images(list), of: Owner(.show, list.show), role: list.role)
            } catch let error as HTTPError where error.isNotOffered {
                return (0, [])
            }
        }
    }

    private func images(_ list: PlanTally.PictureList) async throws -> [StoredImage] {
        var images: [StoredImage] = []
        var warnings: [FieldWarning] = []
        for page in 1...Self.pageLimit {
            let route = environment.router.list(
                list.role.list ?? .cover, of: Owner(.show, list.show), .page(page))
            let fetched = try await environment.send(FetchOperation(route, cache: .bypass))
            guard case .body(let response) = fetched else { return images }
            let objects = try Self.objects(response)
            images += try objects.map { StoredImage(try ImageEntry($0, warnings: &warnings)) }
            if objects.count < Router.pageSize { break }
        }
        return images
    }

    private static func objects(_ response: Response) throws -> [JSONObject] {
        do {
            guard case .array(let values) = try JSONValue(parsing: response.body) else { return [] }
            return values.compactMap(\.objectValue)
        } catch {
            throw JSONBody.problem(response, cause: error)
        }
    }
}
