import Catalogue
import CatalogueSources

extension SourceCheck {
    /// What a check found. It contains text of the server, which may contain anything.
    package struct Report: Sendable {
        /// The description that was checked.
        package var description: SourceDescription
        /// About how long a first copy takes; `nil` if the description doesn't say how many works there are.
        package var firstCopy: FirstCopy?
        /// The described kinds that were checked.
        package var kinds: [KindReport] = []
        /// The hosts that a sync would ask, and those of refused pictures.
        package var hosts: [AskedHost] = []
        /// What follows from it, as sentences.
        package var conclusions: [String] = []

        /// The errors of all kinds, in order. Each is a sentence, or several, that says what to do.
        package var failures: [String] { kinds.flatMap(\.failures) }
    }

    /// What a check found about one kind.
    package struct KindReport: Sendable {
        package var kind: Kind
        /// The requests that were sent, in order.
        package var requests: [SentRequest] = []
        /// The page of the list; `nil` without a list, and if it couldn't be read.
        package var page: PageReport?
        /// The object; `nil` if none could be read.
        package var object: ObjectReport?
        /// What came of the requests that only later syncs send, in order.
        package var trials: [TrialReport] = []
        /// The columns of the page and of the object, in the order of the description.
        package var columns: [ColumnReport] = []
        /// The paths that decide which rows a query gives, by the query's name.
        package var conditions: [String: [String]] = [:]
        /// The paths of the answer that no query read.
        package var unread: [String] = []
        /// Whether an answer is so large that only a part of it was examined for ``columns`` and ``unread``.
        package var isCut = false
        /// What couldn't be read. Each says what to do.
        package var failures: [String] = []

        package init(_ kind: Kind) { self.kind = kind }
    }

    /// A request that was sent.
    package struct SentRequest: Sendable, Hashable {
        /// Without the key that the server may require.
        package var url: String
        /// The status of the answer; `nil` if there was none.
        package var status: Int?
        /// The size of the answer's body in bytes.
        package var bytes = 0
    }

    /// A page of a list, or the whole list.
    package struct PageReport: Sendable, Hashable {
        /// The number of rows with an id.
        package var rows = 0
        /// The number of rows without one.
        package var skipped = 0
        /// The number of objects that the server states; `nil` if it states none.
        package var total: Int?
        /// The number of pages that the server states; `nil` if it states none.
        package var pages: Int?
        /// Whether the rows have versions.
        package var hasVersions = false
        /// Whether the rows contain the objects.
        package var hasObjects = false
        /// Whether the list is complete; `nil` if it has further pages, which were not read.
        package var verdict: ListProof.Verdict?
        /// What the proof says so far, as sentences.
        package var proof: [String] = []
    }

    /// A request that only later syncs send, and what came of it.
    package struct TrialReport: Sendable, Hashable {
        /// Its key in the description: `list.thin`, `object.batch` or `list.since`.
        package var key: String
        /// The number of rows, or of objects, that were read from the answer; `nil` if it couldn't be read, which is a failure.
        package var rows: Int?
        /// What the answer means for syncs, as sentences.
        package var findings: [String] = []

        package init(key: String) { self.key = key }
    }

    /// One object.
    package struct ObjectReport: Sendable {
        package var object: ReadObject
        /// Whether the object is from the list, and not from an answer of its own.
        package var isFromList: Bool

        /// The pictures, each with its id and the URL of each format.
        package var pictures: [(id: String, formats: [(name: String, url: String)])] {
            (object.json["images"]?.arrayValue ?? []).compactMap(\.objectValue).map { image in
                let urls = image["image_urls"]?.objectValue ?? JSONObject()
                return (
                    image["id"]?.stringValue ?? "",
                    urls.members.map { ($0.key, $0.value.stringValue ?? "") }
                )
            }
        }
    }

    /// A host, and what it would be asked for.
    package struct AskedHost: Sendable, Hashable {
        package enum Use: Sendable, Hashable {
            /// It is the base's host: it gets all requests for lists and objects.
            case catalogue
            /// The description lists it; with the number of pictures of the checked objects that it has.
            case listed(pictures: Int)
            /// The description doesn't list it, so that this number of pictures is not fetched.
            case refused(pictures: Int)
        }

        package var name: String
        package var use: Use
    }
}
