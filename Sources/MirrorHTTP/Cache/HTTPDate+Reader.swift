import Catalogue

extension HTTPDate {
    /// Reads one date from bytes, front to back.
    struct Reader {
        let bytes: UnsafeBufferPointer<UInt8>
        private var index = 0

        init(bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
        }

        mutating func date(now: Double) -> Int? {
            guard let weekday = word(), !weekday.isEmpty else { return nil }
            let isShort = isOne(of: HTTPDate.weekdays, weekday, prefix: 3)
            let isLong = isOne(of: HTTPDate.weekdays, weekday, prefix: nil)
            guard isShort || isLong else { return nil }
            let seconds: Int?
            if skip(0x2C) {
                guard skip(0x20) else { return nil }
                seconds = isLong ? obsoleteDate(now: now) : fixedDate()
            } else {
                guard isShort, skip(0x20) else { return nil }
                seconds = asctimeDate()
            }
            return index == bytes.count ? seconds : nil
        }

        /// `06 Nov 1994 08:49:37 GMT`
        private mutating func fixedDate() -> Int? {
            guard let day = number(2), skip(0x20), let month = month(), skip(0x20), let year = number(4),
                skip(0x20), let time = time(), zone()
            else { return nil }
            return seconds(year, month, day, time)
        }

        /// `06-Nov-94 08:49:37 GMT`
        private mutating func obsoleteDate(now: Double) -> Int? {
            guard let day = number(2), skip(0x2D), let month = month(), skip(0x2D), let short = number(2),
                skip(0x20), let time = time(), zone()
            else { return nil }
            let thisYear = CalendarDate(daysSince1970: Int((now / 86400).rounded(.down))).year
            let limit = now + 50 * 365.2425 * 86400
            for century in [100, 0, -100] {
                let year = (thisYear / 100) * 100 + century + short
                if let found = seconds(year, month, day, time), Double(found) <= limit { return found }
            }
            return nil
        }

        /// `Nov  6 08:49:37 1994`
        private mutating func asctimeDate() -> Int? {
            guard let month = month(), skip(0x20), let day = skip(0x20) ? number(1) : number(2), skip(0x20),
                let time = time(), skip(0x20), let year = number(4)
            else { return nil }
            return seconds(year, month, day, time)
        }

        private func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: (Int, Int, Int)) -> Int? {
            HTTPDate.seconds(
                year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
        }

        /// Hour, minute and second.
        private mutating func time() -> (Int, Int, Int)? {
            guard let hour = number(2), skip(0x3A), let minute = number(2), skip(0x3A),
                let second = number(2)
            else { return nil }
            return (hour, minute, second)
        }

        private mutating func zone() -> Bool {
            guard skip(0x20), let zone = word() else { return false }
            return Self.same(zone, "GMT")
        }

        private mutating func month() -> Int? {
            guard let name = word() else { return nil }
            return HTTPDate.months.firstIndex { Self.same(name, $0) }.map { $0 + 1 }
        }

        private mutating func word() -> UnsafeBufferPointer<UInt8>.SubSequence? {
            let start = index
            while index < bytes.count, (0x61...0x7A).contains(bytes[index] | 0x20) { index += 1 }
            return start == index ? nil : bytes[start..<index]
        }

        private mutating func number(_ digits: Int) -> Int? {
            guard index + digits <= bytes.count else { return nil }
            var value = 0
            for _ in 0..<digits {
                guard (0x30...0x39).contains(bytes[index]) else { return nil }
                value = value * 10 + Int(bytes[index] - 0x30)
                index += 1
            }
            return value
        }

        private mutating func skip(_ byte: UInt8) -> Bool {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
            return true
        }

        private func isOne(
            of names: [String], _ word: UnsafeBufferPointer<UInt8>.SubSequence, prefix: Int?
        ) -> Bool {
            names.contains { name in
                let wanted = prefix.map { name.utf8.prefix($0) } ?? name.utf8[...]
                return word.count == wanted.count && zip(word, wanted).allSatisfy { $0 | 0x20 == $1 | 0x20 }
            }
        }

        private static func same(_ word: UnsafeBufferPointer<UInt8>.SubSequence, _ name: String) -> Bool {
            word.count == name.utf8.count && zip(word, name.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        }
    }
}
