import Catalogue
import MirrorHTTP

extension SyncEnvironment {
    /// Looks at all of a sample, some at once; what can't be looked at is left out.
    ///
    /// - Throws: what `look` throws, but `HTTPError` and `PayloadError`.
    func looks<Subject: Sendable, Look: Sendable>(
        at subjects: [Subject], _ look: @escaping @Sendable (Subject) async throws -> Look
    ) async throws -> [Look] {
        let width = options.synchronous ? 1 : max(1, options.jobs / 2)
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
                    } catch is LastingFailure {
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
}
