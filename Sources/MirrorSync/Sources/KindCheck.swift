import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP

extension SourceCheck {
    /// The check of one kind: requests a page and an object, and reads them. Then it tries what only later syncs request.
    struct KindCheck {
        let described: KindDescription
        let reader: SourceReader
        private let session: InterceptableSession
        private let id: String?
        /// When the check is made, for requests of changes.
        let now: Date
        var report: KindReport

        /// The maximum number of objects that are requested, if the first ones in the list don't exist.
        private static let attempts = 3

        init(
            _ described: KindDescription, reader: SourceReader, session: InterceptableSession, id: String?,
            now: Date
        ) {
            (self.described, self.reader, self.session) = (described, reader, session)
            (self.id, self.now) = (id, now)
            report = KindReport(described.kind)
        }

        var kind: Kind { described.kind }

        consuming func run() async throws -> KindReport {
            var check = self
            try await check.read()
            return check.report
        }

        private mutating func read() async throws {
            let page = try await readPage()
            if let id {
                try await readObject(id)
            } else if let page {
                try await readObject(of: page)
                try await tryLaterRequests(beside: page)
            } else if described.list == nil {
                report.failures.append(
                    "The \(kind.plural) have no list, so there is no id to request. Give one with --id.")
            }
        }

        // MARK: - The page

        private mutating func readPage() async throws -> SourcePage? {
            guard let list = described.list, var crawl = crawl(list, for: .all(thin: false)),
                let answer = try await firstPage(of: crawl, "the list of \(kind.plural)", key: "list.get")
            else { return nil }
            // An answer that can't be read is reported below.
            add(try? reader.origins(ofPage: answer.body, of: kind))
            guard let page = reading({ [reader, kind] in try reader.page(answer.body, of: kind) }) else {
                return nil
            }
            crawl.receive(page.listPage)
            report.page = PageReport(page, list, crawl)
            return page
        }

        /// - Returns: `nil` if the description has a wrong request; the failure is then in the report.
        mutating func crawl(_ list: ListDescription, for purpose: ListCrawl.Purpose) -> ListCrawl? {
            do { return try ListCrawl(list, for: purpose) } catch {
                report.failures.append(error.message)
                return nil
            }
        }

        /// Requests the first page of a list.
        ///
        /// - Returns: `nil` if there was no successful answer; the failure is then in the report.
        mutating func firstPage(of crawl: ListCrawl, _ what: String, key: String) async throws -> Response? {
            guard let request = crawl.next else { return nil }
            return try await successful(absolute(request.url), what, key: key)
        }

        // MARK: - The object

        /// Reads the first object of a page that exists.
        private mutating func readObject(of page: SourcePage) async throws {
            let rows = page.rows.filter { !$0.isGone }
            if let row = rows.first, row.object != nil {
                let answer = reading { [reader, kind] in try reader.object(of: row, in: page, of: kind) }
                report.object = answer?.object.map { ObjectReport(object: $0, isFromList: true) }
                return
            }
            for (index, row) in rows.prefix(Self.attempts).enumerated() {
                let isLast = index + 1 == min(rows.count, Self.attempts)
                guard try await readObject(row.id, reportsAbsence: isLast) else { return }
            }
        }

        /// Requests one object and reads it.
        ///
        /// - Returns: Whether the server says that there is no such object.
        @discardableResult
        private mutating func readObject(_ id: String, reportsAbsence: Bool = true) async throws -> Bool {
            let url = reader.description.url(described.object.get, [.id: id])
            guard let answer = try await send(url, isObject: true) else { return false }
            do {
                switch try reader.object(answer.body, id: id, status: answer.status, of: kind) {
                case .object(let object): report.object = ObjectReport(object: object, isFromList: false)
                case .absent:
                    if reportsAbsence { report.failures.append(AnswerFault.absent(kind, id)) }
                    return true
                }
            } catch let error as SourceReadingError where error.code == .status {
                report.failures.append(
                    AnswerFault.sentence(
                        status: answer.status, "\(kind.name) \(AnswerFault.quoted(id))",
                        key: "\(kind.plural).object.get"))
            } catch {
                report.failures.append("\(error)")
            }
            if answer.head.isSuccess {
                // What the list's own rows gave stays; the columns of its objects are replaced by those of this one.
                let names: Set = ["rows", "total", "pages"]
                report.columns.removeAll { !names.contains($0.query) }
                report.conditions = report.conditions.filter { names.contains($0.key) }
                report.unread = []
                // An answer that can't be read was reported above.
                add(try? reader.origins(ofObject: answer.body, id: id, of: kind))
            }
            return false
        }

        private mutating func add(_ origins: ColumnOrigins?) {
            guard let origins else { return }
            report.columns += origins.columns
            report.conditions.merge(origins.conditions) { $1 }
            report.unread += origins.unread
            report.isCut = report.isCut || origins.isCut
        }

        /// Reads an answer.
        ///
        /// - Returns: `nil` if that fails; the failure is then in the report.
        mutating func reading<Result>(_ read: () throws -> Result) -> Result? {
            do { return try read() } catch {
                report.failures.append("\(error)")
                return nil
            }
        }

        // MARK: - Requests

        /// Sends a request whose answer must be a success.
        ///
        /// - Parameters:
        ///   - what: What is requested, for the sentence about a failure.
        ///   - key: The key of the request, below the kind's.
        /// - Returns: `nil` if the answer isn't a success; the failure is then in the report.
        mutating func successful(_ url: String, _ what: String, key: String) async throws -> Response? {
            guard let answer = try await send(url, isObject: false) else { return nil }
            guard answer.head.isSuccess else {
                report.failures.append(
                    AnswerFault.sentence(status: answer.status, what, key: "\(kind.plural).\(key)"))
                return nil
            }
            return answer
        }

        private func absolute(_ url: String) -> String {
            url.hasPrefix("https://") || url.hasPrefix("http://") ? url : reader.description.base + url
        }

        /// - Returns: `nil` if there was no answer; the failure is then in the report.
        private mutating func send(_ url: String, isObject: Bool) async throws -> Response? {
            var sent = SentRequest(url: url)
            defer { report.requests.append(sent) }
            var request = Request(.absolute(url), cache: .bypass)
            request.mayEndService = !isObject
            do {
                let answer = try await session.response(for: request)
                (sent.status, sent.bytes) = (answer.status, answer.body.count)
                return answer
            } catch let error as HTTPError {
                report.failures.append(error.message)
                return nil
            }
        }
    }
}
