extension HTTPDate {
    /// Reads an IMF-fixdate as servers write it, letter by letter: every response has one, many have three.
    ///
    /// `nil` says nothing: the text may be a date in another spelling, which ``Reader`` reads.
    enum FixedDate {
        /// `Sun, 06 Nov 1994 08:49:37 GMT`
        static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
            guard bytes.count == 29, bytes[3] == 0x2C, bytes[4] == 0x20, bytes[7] == 0x20, bytes[11] == 0x20,
                bytes[16] == 0x20, bytes[19] == 0x3A, bytes[22] == 0x3A, bytes[25] == 0x20,
                letters(bytes, 26) == pack("GMT"), isWeekday(letters(bytes, 0)),
                let month = month(letters(bytes, 8)), let day = pair(bytes, 5),
                let century = pair(bytes, 12), let year = pair(bytes, 14), let hour = pair(bytes, 17),
                let minute = pair(bytes, 20), let second = pair(bytes, 23)
            else { return nil }
            return HTTPDate.seconds(
                year: century * 100 + year, month: month, day: day, hour: hour, minute: minute, second: second
            )
        }

        private static func letters(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt32 {
            UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
        }

        @inline(__always)
        private static func pack(_ name: StaticString) -> UInt32 {
            name.withUTF8Buffer { letters($0, 0) }
        }

        private static func isWeekday(_ name: UInt32) -> Bool {
            name == pack("Mon") || name == pack("Tue") || name == pack("Wed") || name == pack("Thu")
                || name == pack("Fri") || name == pack("Sat") || name == pack("Sun")
        }

        private static func month(_ name: UInt32) -> Int? {
            switch name {
            case pack("Jan"): 1
            case pack("Feb"): 2
            case pack("Mar"): 3
            case pack("Apr"): 4
            case pack("May"): 5
            case pack("Jun"): 6
            case pack("Jul"): 7
            case pack("Aug"): 8
            case pack("Sep"): 9
            case pack("Oct"): 10
            case pack("Nov"): 11
            case pack("Dec"): 12
            default: nil
            }
        }

        /// Two digits.
        private static func pair(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
            let tens = Int(bytes[index]) - 0x30
            let ones = Int(bytes[index + 1]) - 0x30
            return (0...9).contains(tens) && (0...9).contains(ones) ? tens * 10 + ones : nil
        }
    }

    /// `nil` for a time or a day of a month that isn't on the clock or in the calendar.
    static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Int? {
        guard day >= 1, day <= length(of: month, in: year), hour < 24, minute < 60, second <= 60 else {
            return nil
        }
        // A leap second counts as the one before: an earlier instant is the careful reading.
        return days(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + min(second, 59)
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
