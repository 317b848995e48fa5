internal import DoorwardDomain
internal import HTTPTypes

/// The trace that a request is part of (W3C Trace Context, level 1, header `traceparent`).
struct TraceContext: Hashable, Sendable {
    /// The id of the whole trace: 32 lower-case hexadecimal digits.
    let traceID: String
    /// The id of the caller's span: 16 lower-case hexadecimal digits.
    let parentID: String

    init?(_ headers: HTTPFields) {
        // A duplicate header is ambiguous and therefore ignored.
        guard headers[fields: .traceContext].count == 1, let text = headers[.traceContext] else { return nil }
        self.init(text)
    }

    /// - Returns: `nil` for a malformed text, which is ignored as a whole (sections 3.2.2 and 4.3).
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = Self.hexadecimal(parts[0], 2), version != "ff",
            // A later version may have further parts after the flags; version 00 may not.
            parts.count == 4 || version != "00",
            let trace = Self.hexadecimal(parts[1], 32), trace.contains(where: { $0 != "0" }),
            let parent = Self.hexadecimal(parts[2], 16), parent.contains(where: { $0 != "0" }),
            Self.hexadecimal(parts[3], 2) != nil
        else { return nil }
        (traceID, parentID) = (trace, parent)
    }

    private static func hexadecimal(_ part: Substring.UTF8View, _ count: Int) -> String? {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
        return part.count == count && part.allSatisfy(isDigit) ? String(Substring(part)) : nil
    }

    /// The id of a new span of this gateway: 64 random bits, never all zero.
    static func newSpanID(_ random: RandomSource) -> String {
        let id = random.hexadecimal(byteCount: 8)
        return id.contains { $0 != "0" } ? id : String(id.dropLast()) + "1"
    }
}
