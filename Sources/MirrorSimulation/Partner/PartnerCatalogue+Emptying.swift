import Catalogue
import MirrorStore
import MirrorSync

/// Fills lists, and empties all of them at once.
extension PartnerCatalogue {
    /// Adds twelve artworks, most of which are in every show and album, and as many documents and installation shots. If
    /// those lists become empty, the delete guard stops the run.
    mutating func fill(at time: Int, _ random: inout SplitMix) {
        let numbers = (1...12).map(String.init)
        for number in numbers {
            put(
                .artwork, "n\(number)",
                Body(["id": .string("n\(number)"), "title": .string("Old \(number)")]))
            touch(.artwork, "n\(number)", at: time)
        }
        for (kind, ids) in [(Kind.show, CatalogueEdit.shows), (.album, CatalogueEdit.albums)] {
            for id in ids {
                put(kind, id, Body(["id": .string(id), "name": .string("Full \(id)")]))
                lists[Self.artworks(kind, id)] = random.some(of: numbers.map { "n\($0)" }, percent: 90)
                touch(kind, id, at: time)
            }
        }
        let show = random.element(of: CatalogueEdit.shows) ?? "s"
        lists[Self.documents(.show, show)] = numbers
        for number in numbers {
            objects[Self.document(.show, show, number)] = Body([
                "id": .string(number), "title": .string("Sheet \(number)"),
            ])
        }
        pictures[Self.pictures(show, cover: false)] = numbers.map { number in
            Body([
                "id": .string("\(show)-\(number)"), "image_versions": ["larger"],
                "image_url": .string("show/\(show)/image/\(number)/larger.jpg"),
            ])
        }
    }

    /// Empties every list under shows and albums.
    ///
    /// - Returns: the former lists, for ``refill(_:at:)``.
    mutating func emptyLists(at time: Int) -> EmptiedLists {
        var emptied = EmptiedLists()
        for kind in [Kind.show, .album] {
            for id in ids(kind) {
                let lists = [Self.artworks(kind, id)] + (kind == .show ? [Self.documents(kind, id)] : [])
                let pictures = kind == .show ? [false, true].map { Self.pictures(id, cover: $0) } : []
                let before = emptied.count
                for list in lists where self.lists[list]?.isEmpty == false {
                    emptied.lists.append((kind, id, list, self.lists[list] ?? []))
                    self.lists[list] = []
                }
                for list in pictures where self.pictures[list]?.isEmpty == false {
                    emptied.pictures.append((id, list, self.pictures[list] ?? []))
                    self.pictures[list] = []
                }
                if emptied.count > before { touch(kind, id, at: time) }
            }
        }
        return emptied
    }

    /// Restores the lists, except those that were filled again in the meantime and those whose owner was deleted.
    mutating func refill(_ emptied: EmptiedLists, at time: Int) {
        for (kind, id, list, members) in emptied.lists where names(kind, id) && lists[list]?.isEmpty == true {
            lists[list] = members
            touch(kind, id, at: time)
        }
        for (id, list, members) in emptied.pictures where names(.show, id) && pictures[list]?.isEmpty == true
        {
            pictures[list] = members
            touch(.show, id, at: time)
        }
    }

    struct EmptiedLists: Sendable {
        var lists: [(kind: Kind, id: String, list: String, members: [String])] = []
        var pictures: [(id: String, list: String, members: [Body])] = []
        var count: Int { lists.count + pictures.count }
    }
}
