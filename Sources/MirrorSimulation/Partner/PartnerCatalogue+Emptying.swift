import Catalogue
import MirrorStore
import MirrorSync

/// Lists that become long, and lists that go empty in masses.
extension PartnerCatalogue {
    /// Twelve artworks, of which most are in every show and album, and as many documents and installation shots: when those
    /// lists go empty, the delete guard objects.
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

    /// Every list under shows and albums becomes empty.
    ///
    /// - Returns: what they were, for ``refill(_:at:)``.
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

    /// What was empty is as it was again, unless somebody put something into it, or removed what it is of.
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
