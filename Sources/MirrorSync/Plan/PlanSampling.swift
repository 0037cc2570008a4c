import Foundation
import MirrorHTTP
import MirrorStore
import PartnerAPI

/// Looks at some pictures to learn how large they are, where neither the server nor the mirror tells.
///
/// Up to 50 of the new artworks are fetched and each of their wanted pictures is asked for with HEAD; where no artwork is
/// new, up to 50 of the missing pictures are.
struct PlanSampling: Sendable {
    let environment: SyncEnvironment
    let plan: PlanRecorder

    struct Result: Sendable {
        /// Bytes of JSON, and of all wanted pictures, for each artwork that was looked at.
        var json: [Double] = [], media: [Double] = []
        /// Wanted pictures for each.
        var pictures: [Double] = []
        /// Bytes of single pictures, by format.
        var sizes: [String: [Double]] = [:]
        /// Seconds that it took for each answer, some under way at once.
        var pace: Double?
    }

    /// What one look told.
    private struct Look: Sendable {
        var json = 0
        var pictures: [(format: String, bytes: Double?)] = []
    }

    func result() async throws -> Result {
        let tally = plan.current, began = environment.now()
        let looks: [Look]
        if tally.newArtworks > 0 {
            looks = try await all(tally.artworkSample.chosen) { try await artwork($0) }
        } else {
            looks = try await all(tally.pictureSample.chosen) { picture in
                Look(pictures: [(picture.format, try await length(picture.url))])
            }
        }
        var result = Result()
        let answers = looks.reduce(0) { $0 + $1.pictures.count + ($1.json > 0 ? 1 : 0) }
        if answers > 0 { result.pace = environment.now().timeIntervalSince(began) / Double(answers) }
        for look in looks {
            var media = 0.0
            for (format, bytes) in look.pictures {
                if let bytes { result.sizes[format, default: []].append(bytes) }
                media += bytes ?? plan.pictureSize(format).mean
            }
            guard tally.newArtworks > 0 else { continue }
            result.json.append(Double(look.json))
            result.media.append(media)
            result.pictures.append(Double(look.pictures.count))
        }
        return result
    }

    /// Looks at all, some at once; one that can't be looked at is left out.
    private func all<Subject: Sendable>(
        _ subjects: [Subject], _ look: @escaping @Sendable (Subject) async throws -> Look
    ) async throws -> [Look] {
        let width = environment.options.synchronous ? 1 : max(1, environment.options.jobs / 2)
        return try await withThrowingTaskGroup(of: Look?.self) { group in
            var waiting = subjects[...]
            var looks: [Look] = []
            func next() {
                guard let subject = waiting.popFirst() else { return }
                group.addTask {
                    do {
                        return try await look(subject)
                    } catch is HTTPError {
                        return nil
                    } catch is PayloadError {
                        return nil
                    }
                }
            }
            for _ in 0..<width { next() }
            while let look = try await group.next() {
                if let look { looks.append(look) }
                next()
            }
            return looks
        }
    }

    private func artwork(_ id: String) async throws -> Look {
        let router = Router(partner: environment.partner)
        let fetched = try await environment.send(FetchOperation(router.artwork(id), cache: .bypass))
        guard case .body(let response) = fetched else { return Look() }
        var warnings: [FieldWarning] = []
        let artwork = try Artwork(response.jsonObject(), warnings: &warnings)
        var look = Look(json: response.receivedBytes)
        for image in artwork.images {
            for format in image.chosenFormats(wanted: environment.options.formats) {
                guard let url = image.fileURL(format: format) else { continue }
                look.pictures.append((format, try await length(url)))
            }
        }
        return look
    }

    /// Bytes of a file as its head says; 0 for one that isn't offered, `nil` if the server doesn't say.
    private func length(_ url: String) async throws -> Double? {
        let request = Request(
            method: "HEAD", FileDownload.target(url, base: environment.session.base),
            headers: ["Accept": "image/*"], cache: .bypass, kind: .media, mayLeaveOrigin: true)
        let response = try await environment.session.response(for: request)
        if [404, 410].contains(response.status) { return 0 }
        guard response.head.isSuccess, let length = response.headers["Content-Length"] else { return nil }
        return Double(length)
    }
}
