public import FoundationEssentials

extension Doorward {
    /// An instant as the API writes it: RFC 3339 in UTC, with milliseconds. The calendar is Foundation's: Julian before 1582-10-15.
    public struct Instant: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
        /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
        public let milliseconds: Int64

        public init(milliseconds: Int64) { self.milliseconds = milliseconds }

        /// Rounds a date to the nearest millisecond.
        public init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded()) }

        /// - Returns: `nil` for any text but `YYYY-MM-DDThh:mm:ss[.fraction]Z` or one with an offset such as `+02:00`. Digits of
        ///   the fraction after the third are cut.
        public init?(_ text: String) {
            // Date and time are the first 19 characters. Foundation reads a day that does not exist as another one.
            let time = text.prefix(19).uppercased() + "Z"
            guard let date = try? Date(time, strategy: .iso8601), date.formatted(.iso8601) == time else { return nil }
            var rest = text.dropFirst(19)
            var thousandths = "000"
            if rest.first == "." {
                let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard !digits.isEmpty else { return nil }
                thousandths = String((digits + "00").prefix(3))
                rest = rest.dropFirst(1 + digits.count)
            }
            guard let fraction = Int64(thousandths), let offset = Self.minutes(ofOffset: rest) else { return nil }
            milliseconds = (Int64(date.timeIntervalSince1970) - offset * 60) * 1000 + fraction
        }

        /// The minutes of an offset such as `Z` or `+02:00`; `nil` for any other text.
        private static func minutes(ofOffset text: Substring) -> Int64? {
            if text == "Z" || text == "z" { return 0 }
            let digits = text.filter { $0.isASCII && $0.isNumber }
            guard let sign = text.first, text == "\(sign)\(digits.prefix(2)):\(digits.dropFirst(2))", digits.count == 4,
                let number = Int64(digits), number < 2400, number % 100 < 60
            else { return nil }
            let minutes = number / 100 * 60 + number % 100
            return sign == "-" ? -minutes : sign == "+" ? minutes : nil
        }

        /// The instant as a date.
        public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

        /// `2026-11-21T08:00:00.000Z`.
        public var description: String {
            // The style cuts what is left of a millisecond.
            let date = Date(timeIntervalSince1970: (Double(milliseconds) + 0.5) / 1000)
            return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
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
    }
}
