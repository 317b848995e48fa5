/// Splits a JSON list into slices of its bytes without parsing them: a long list is never in memory as values.
struct JSONElements {
    let slices: [ArraySlice<UInt8>]

    /// Maximum elements of one list; a bridge has far fewer devices.
    static let maxCount = 50_000

    /// - Returns: `nil` for more than `maxCount` elements, or if brackets, commas and strings do not form a list. The caller has
    ///   to check that each element is JSON.
    init?(_ bytes: [UInt8]) {
        var slices: [ArraySlice<UInt8>] = []
        var (depth, start, isInString, isEscaped, isDone) = (0, 0, false, false, false)
        func element(_ end: Int) -> ArraySlice<UInt8>? {
            let slice = bytes[start..<end]
            return slice.contains { !Self.isSpace($0) } ? slice : nil
        }
        for (index, byte) in bytes.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                guard depth > 0 else { return nil }
                isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                guard !isDone, depth > 0 || byte == UInt8(ascii: "[") else { return nil }
                depth += 1
                if depth == 1 { start = index + 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                guard depth >= 0 else { return nil }
                guard depth == 0 else { continue }
                // Only an empty list has an empty last element.
                if let last = element(index) { slices.append(last) } else if !slices.isEmpty { return nil }
                isDone = true
            case UInt8(ascii: ",") where depth == 1:
                guard slices.count < Self.maxCount, let next = element(index) else { return nil }
                slices.append(next)
                start = index + 1
            default:
                guard depth > 0 || Self.isSpace(byte) else { return nil }
            }
        }
        guard isDone, !isInString else { return nil }
        self.slices = slices
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }
}
