internal import DoorwardDomain
import FoundationEssentials

/// The JSON of a column: an address, metadata or a schedule.
///
/// Reading makes text stream-safe (`StreamSafeText`): a file that was not written by a gateway may have keys with long runs of combining
/// marks, which would delay the start by seconds.
enum StoredJSON {
    /// The maximum nesting depth, which is greater than that of any address or metadata that the gateway accepts. The object itself is the
    /// first level.
    static let maxDepth = 64

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// Returns `nil` for an object that could not be read back: one nested deeper than `maxDepth`, or with a number that JSON does not have.
    static func text(of object: [String: JSONValue]) -> String? {
        guard let bytes = try? encoder.encode(object), self.object(from: Array(bytes)) != nil else { return nil }
        // Not shown from here: reading makes it stream-safe.
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns `nil` unless the bytes are exactly one object in JSON.
    static func object(from bytes: [UInt8]) -> [String: JSONValue]? {
        guard case .object(let object)? = try? JSONParser<JSONValue>.parse(bytes, maxDepth: maxDepth, rejectsMarks: false) else {
            return nil
        }
        return object
    }
}
