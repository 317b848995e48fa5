import DoorwardDomain

/// Truncates a body until it can be encoded, so that no record is lost because of its content. The steps are those of
/// docs/log-format.md, section "Records that are too large". They are applied in order until the body fits.
enum RecordTruncation {
    /// The key that marks the details of a truncated record.
    static let marker = "shortened"
    /// The maximum lengths of texts, in bytes of UTF-8. The limits are tried in this order until the body fits.
    private static let textLimits = [4096, 1024, 256, 64]
    /// The end of a truncated text.
    private static let ellipsis = "…"

    /// Returns a truncated body that has an encoding, with as much of the content as fits.
    static func fitted(_ body: RecordBody) -> RecordBody {
        var body = body
        body.details = body.details.mapValues { representable($0, depth: 1) }
        body.details[marker] = .bool(true)
        for limit in textLimits where !fits(body) { body = cut(body, to: limit) }
        return fits(body) ? body : withSmallestDetails(body)
    }

    private static func fits(_ body: RecordBody) -> Bool { (try? RecordWriter(body)) != nil }

    /// Replaces values that have no encoding.
    private static func representable(_ value: RecordValue, depth: Int) -> RecordValue {
        switch value {
        case .null, .bool, .string, .personal: value
        case .withheld: .null
        case .integer(let number): DetailsFormat.integers.contains(number) ? value : .string(String(number))
        case .array(let elements):
            depth < DetailsFormat.maxDepth ? .array(elements.map { representable($0, depth: depth + 1) }) : .string(ellipsis)
        case .object(let members):
            depth < DetailsFormat.maxDepth
                ? .object(members.mapValues { representable($0, depth: depth + 1) }) : .string(ellipsis)
        }
    }

    private static func cut(_ body: RecordBody, to limit: Int) -> RecordBody {
        var body = body
        body.actor.id = body.actor.id.map { cut($0, to: limit) }
        body.requestID = body.requestID.map { cut($0, to: limit) }
        if let name = body.device?.deviceName { body.device?.deviceName = cut(name, to: limit) }
        body.outcomeDetail = body.outcomeDetail.map { cut($0, to: limit) }
        body.target = body.target.map { RecordTarget(type: cut($0.type, to: limit), id: cut($0.id, to: limit)) }
        body.details = body.details.mapValues { cut($0, to: limit) }
        return body
    }

    private static func cut(_ value: RecordValue, to limit: Int) -> RecordValue {
        switch value {
        case .null, .bool, .integer, .withheld, .personal: value
        case .string(let text): .string(cut(text, to: limit))
        case .array(let elements): .array(elements.map { cut($0, to: limit) })
        case .object(let members): .object(members.mapValues { cut($0, to: limit) })
        }
    }

    /// Returns the beginning of `text`, in whole Unicode scalars, followed by the ellipsis: at most `limit` bytes.
    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: limit - ellipsis.utf8.count)
        while UTF8.isContinuation(text.utf8[end]) { end = text.utf8.index(before: end) }
        return text[..<end] + ellipsis
    }

    /// Returns the body with as many details as fit, starting with the smallest.
    private static func withSmallestDetails(_ body: RecordBody) -> RecordBody {
        let keys = body.details.filter { $0.key != marker }.map { (key: $0.key, size: size(of: $0.value) + $0.key.utf8.count) }
            .sorted { $0.size != $1.size ? $0.size < $1.size : CanonicalJSON.precedes($0.key, $1.key) }
            .map(\.key)
        // Binary search for the number of details that fit, as each attempt encodes the record.
        var (fitting, tooMany) = (0, keys.count)
        while tooMany - fitting > 1 {
            let middle = (fitting + tooMany) / 2
            if fits(keeping(keys[..<middle], of: body)) { fitting = middle } else { tooMany = middle }
        }
        return keeping(keys[..<fitting], of: body)
    }

    private static func keeping(_ keys: ArraySlice<String>, of body: RecordBody) -> RecordBody {
        var kept = body
        kept.details = [marker: .bool(true)]
        for key in keys { kept.details[key] = body.details[key] }
        return kept
    }

    /// Returns the approximate size of a value in bytes, to sort the details.
    private static func size(of value: RecordValue) -> Int {
        switch value {
        case .null, .bool: 5
        case .integer: 8
        case .withheld, .personal: 120
        case .string(let text): text.utf8.count + 2
        case .array(let elements): elements.reduce(2) { $0 + size(of: $1) + 1 }
        case .object(let members): members.reduce(2) { $0 + size(of: $1.value) + $1.key.utf8.count + 4 }
        }
    }
}
