public import FoundationEssentials

extension Doorward {
    /// An instant as the API writes it: RFC 3339 in UTC, with milliseconds.
    public struct Instant: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
        /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
        public let milliseconds: Int64

        public init(milliseconds: Int64) { self.milliseconds = milliseconds }

        /// Rounds a date to the nearest millisecond.
        public init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded()) }

        /// - Returns: `nil` for any text but `YYYY-MM-DDThh:mm:ss[.fraction]Z` or one with an offset such as `+02:00`. Digits of
        ///   the fraction after the third are cut.
        public init?(_ text: String) {
            var reader = Reader(rest: Array(text.utf8)[...])
            guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), (1...12).contains(month),
                reader.take("-"), let day = reader.number(2), (1...Self.days(in: month, of: year)).contains(day),
                reader.take("T") || reader.take("t"),
                let hour = reader.number(2), hour < 24, reader.take(":"), let minute = reader.number(2), minute < 60,
                reader.take(":"), let second = reader.number(2), second < 60, let fraction = reader.fraction(),
                let offset = reader.offset(), reader.rest.isEmpty
            else { return nil }
            let seconds = ((Self.daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset * 60
            milliseconds = seconds * 1000 + fraction
        }

        /// The instant as a date.
        public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

        /// `2026-11-21T08:00:00.000Z`.
        public var description: String {
            let (days, time) = Self.divided(milliseconds, by: 86_400_000)
            let (year, month, day) = Self.calendarDate(days)
            func padded(_ number: Int64, _ width: Int) -> String {
                let digits = String(number)
                return String(repeating: "0", count: max(0, width - digits.count)) + digits
            }
            let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map { padded($0, 2) }.joined(separator: ":")
            return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock).\(padded(time % 1000, 3))Z"
        }

        /// Compares the order.
        public static func < (first: Self, second: Self) -> Bool { first.milliseconds < second.milliseconds }

        /// Decodes an RFC 3339 text.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let instant = Instant(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an instant in RFC 3339")
            }
            self = instant
        }

        /// Encodes the RFC 3339 text.
        public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }

        // The calendar: https://howardhinnant.github.io/date_algorithms.html

        private static func divided(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
            let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
            return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
        }

        private static func days(in month: Int64, of year: Int64) -> Int64 {
            if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
            return [4, 6, 9, 11].contains(month) ? 30 : 31
        }

        private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
            let shifted = month <= 2 ? year - 1 : year
            let (era, yearOfEra) = divided(shifted, by: 400)
            let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
            return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        }

        private static func calendarDate(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
            let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let month = (5 * dayOfYear + 2) / 153
            let day = dayOfYear - (153 * month + 2) / 5 + 1
            return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
        }

        private struct Reader {
            var rest: ArraySlice<UInt8>

            mutating func number(_ count: Int) -> Int64? {
                guard rest.count >= count else { return nil }
                var value: Int64 = 0
                for byte in rest.prefix(count) {
                    guard (48...57).contains(byte) else { return nil }
                    value = value * 10 + Int64(byte - 48)
                }
                rest.removeFirst(count)
                return value
            }

            mutating func take(_ character: Unicode.Scalar) -> Bool {
                guard rest.first == UInt8(ascii: character) else { return false }
                rest.removeFirst()
                return true
            }

            mutating func fraction() -> Int64? {
                guard take(".") else { return 0 }
                let digits = rest.prefix { (48...57).contains($0) }
                guard !digits.isEmpty else { return nil }
                rest.removeFirst(digits.count)
                let thousandths = digits.prefix(3) + repeatElement(48, count: max(0, 3 - digits.count))
                return thousandths.reduce(0) { $0 * 10 + Int64($1 - 48) }
            }

            /// Minutes to subtract.
            mutating func offset() -> Int64? {
                if take("Z") || take("z") { return 0 }
                let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
                guard take("+") || take("-"), let hours = number(2), hours < 24, take(":"), let minutes = number(2), minutes < 60
                else { return nil }
                return sign * (hours * 60 + minutes)
            }
        }
    }
}
