import Catalogue
import MirrorStore

/// The line below an object's name: dates and place of a show, address of a location.
enum ObjectSubtitle {
    static func parts(_ object: FoundObject, _ context: PageContext) throws -> [Fact.Part] {
        switch object.summary.kind {
        case .show:
            let dates = PageDates.span(from: object.text("start_at"), to: object.text("end_at"))
            let id =
                object.body?.ids("locations", single: "location").first ?? object.body?["location_id"]?.idText
            let place = try id.flatMap { try context.find(.location, $0) }
            var parts = dates.map { [Fact.Part(text: $0)] } ?? []
            if let place, place.body != nil {
                if !parts.isEmpty { parts.append(Fact.Part(text: ", ")) }
                parts.append(
                    Fact.Part(
                        text: LongText.cut(place.summary.name ?? place.summary.id, to: 200).text,
                        href: context.href(place.summary))
                )
            }
            return parts
        case .location:
            func value(_ field: String) -> String? { object.text(field) ?? object.number(field) }
            func line(_ values: String?...) -> String? {
                let line = values.compactMap(\.self).joined(separator: " ")
                return line.isEmpty ? nil : line
            }
            // `9000 Ghent`, but `Pittsburgh, PA 15213`.
            let code = value("postal_code"), city = value("city"), state = value("state")
            let town = state == nil ? [line(code, city)] : [city, line(state, code)]
            let lines: [String?] = [value("address"), value("address_2")] + town + [value("country")]
            let address = lines.compactMap(\.self).joined(separator: ", ")
            return address.isEmpty ? [] : [Fact.Part(text: LongText.cut(address, to: 300).text)]
        default: return []
        }
    }
}
