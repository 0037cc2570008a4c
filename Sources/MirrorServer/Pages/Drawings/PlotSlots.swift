/// The horizontal places of a plot's days, in per cent: each day has a slot, from 2 % to 99 % of the width.
struct PlotSlots: Sendable, Equatable {
    private let slot: Double

    init(count: Int) { slot = 97 / Double(max(count, 1)) }

    /// The left end of a day's slot.
    func start(_ index: Int) -> String { position(index, 0) }

    /// The left end of a day's bar.
    func bar(_ index: Int) -> String { position(index, 0.12) }

    /// Three quarters of the slot.
    var barWidth: String { (slot * 0.74).decimalText(places: 2) + "%" }

    /// The middle of the mark of a day's sync.
    func mark(_ index: Int) -> String { position(index, 0.48) }

    private func position(_ index: Int, _ part: Double) -> String {
        (2 + (Double(index) + part) * slot).percentText
    }
}
