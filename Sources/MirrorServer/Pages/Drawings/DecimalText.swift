extension Double {
    /// The number with at most `places` decimals, without trailing zeros: "25.1", "48".
    ///
    /// Attributes of SVG need a point in every locale, so no formatter is used. Halves are rounded to the even digit. Infinities,
    /// NaN and numbers of 10 digits or more give "0": a broken number must not break a drawing.
    func decimalText(places: Int) -> String {
        var factor = 1.0
        for _ in 0..<places { factor *= 10 }
        let scaled = (self * factor).rounded(.toNearestOrEven)
        guard scaled.magnitude < 10_000_000_000 * factor else { return "0" }
        let digits = Int(scaled.magnitude), unit = Int(factor)
        var decimals = String(digits % unit + unit).dropFirst()
        while decimals.last == "0" { decimals = decimals.dropLast() }
        let sign = scaled < 0 ? "-" : ""
        return sign + String(digits / unit) + (decimals.isEmpty ? "" : "." + decimals)
    }

    /// A length in centimetres, which is the unit of a drawing to scale, or in pixels, to a tenth.
    var tenths: String { decimalText(places: 1) }

    /// A position in per cent of a plot's width, to a thousandth, with its sign: "5.026%".
    var percentText: String { decimalText(places: 3) + "%" }
}
