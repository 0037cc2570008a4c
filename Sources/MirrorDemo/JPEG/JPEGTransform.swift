/// The forward cosine transform of 8×8 blocks, by Arai, Agui and Nakajima.
///
/// It needs 5 multiplications a row. The remaining scale factors are part of the quantisers. The code uses pointer
/// arithmetic, because arrays are slow in a debug build.
enum JPEGTransform {
    /// Transforms a block in place. Coefficient (row, column) is multiplied by `8 · scale[row] · scale[column]`.
    static func forward(_ block: UnsafeMutablePointer<Float>) {
        var at = 0
        while at < 64 {
            pass(block + at, 1)
            at += 8
        }
        at = 0
        while at < 8 {
            pass(block + at, 8)
            at += 1
        }
    }

    /// The factors for quantising, row by row: 1 / (quantiser · 8 · scale · scale).
    ///
    /// - Parameter quantiser: a table in the file's order.
    static func reciprocals(_ quantiser: [UInt8]) -> [Float] {
        let scale: [Float] = [
            1, 1.387_039_8, 1.306_563, 1.175_875_6, 1, 0.785_694_96, 0.541_196_1, 0.275_899_38,
        ]
        var factors = [Float](repeating: 0, count: 64)
        for (index, position) in JPEGTables.zigzag.enumerated() {
            factors[position] = 1 / (Float(quantiser[index]) * 8 * scale[position / 8] * scale[position % 8])
        }
        return factors
    }

    @inline(__always)
    private static func pass(_ line: UnsafeMutablePointer<Float>, _ step: Int) {
        let sum07 = line[0] + line[7 * step], difference07 = line[0] - line[7 * step]
        let sum16 = line[step] + line[6 * step], difference16 = line[step] - line[6 * step]
        let sum25 = line[2 * step] + line[5 * step], difference25 = line[2 * step] - line[5 * step]
        let sum34 = line[3 * step] + line[4 * step], difference34 = line[3 * step] - line[4 * step]

        let outer = sum07 + sum34, outerDifference = sum07 - sum34
        let inner = sum16 + sum25, innerDifference = sum16 - sum25
        line[0] = outer + inner
        line[4 * step] = outer - inner
        let turned = (innerDifference + outerDifference) * 0.707_106_77
        line[2 * step] = outerDifference + turned
        line[6 * step] = outerDifference - turned

        let low = difference34 + difference25
        let middle = difference25 + difference16
        let high = difference16 + difference07
        let shared = (low - high) * 0.382_683_43
        let lowTurned = 0.541_196_1 * low + shared
        let highTurned = 1.306_563 * high + shared
        let middleTurned = middle * 0.707_106_77
        let plus = difference07 + middleTurned, minus = difference07 - middleTurned
        line[5 * step] = minus + lowTurned
        line[3 * step] = minus - lowTurned
        line[step] = plus + highTurned
        line[7 * step] = plus - highTurned
    }
}
