/// Sizes in bytes: `0.3 kB`, `4.3 MB`.
enum ByteText {
    static func text(_ bytes: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB"]
        var size = Double(bytes) / 1_000, unit = 0
        while size >= 999.95, unit < units.count - 1 { (size, unit) = (size / 1_000, unit + 1) }
        return "\(size.decimalText(places: 1)) \(units[unit])"
    }
}
