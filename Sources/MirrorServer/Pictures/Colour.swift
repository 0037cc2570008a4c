/// A colour as light from 0 to 1 in red, green and blue.
struct Colour: Equatable {
    var red: Float
    var green: Float
    var blue: Float

    init(_ red: Float, _ green: Float, _ blue: Float) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// From the usual six hexadecimal digits.
    init(_ hex: Int) {
        self.init(Float(hex >> 16 & 255) / 255, Float(hex >> 8 & 255) / 255, Float(hex & 255) / 255)
    }

    var luminance: Float { 0.299 * red + 0.587 * green + 0.114 * blue }

    /// Part of the way to another colour; `amount` is held between 0 and 1.
    func mixed(_ other: Colour, _ amount: Float) -> Colour {
        let part = max(0, min(1, amount))
        return Colour(
            red + (other.red - red) * part, green + (other.green - green) * part,
            blue + (other.blue - blue) * part)
    }

    /// As under more or less light: multiplied, then held between 0 and 1.
    func lit(_ factor: Float) -> Colour {
        Colour(
            max(0, min(1, red * factor)), max(0, min(1, green * factor)), max(0, min(1, blue * factor)))
    }

    /// Shifted a little, in lightness and between warm and cool, as paint mixed anew for each stroke is.
    func varied(_ amount: Float, _ seed: inout PictureSeed) -> Colour {
        let light = seed.between(-amount, amount)
        let warmth = seed.between(-amount, amount) * 0.5
        return Colour(
            max(0, min(1, red + light + warmth)), max(0, min(1, green + light)),
            max(0, min(1, blue + light - warmth)))
    }
}
