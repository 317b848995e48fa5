package import DoorwardDomain
import FoundationEssentials

/// Reads JSON that anybody on a broker may have written: what is too long, too deep or no JSON is no value, and nothing worse.
package enum BoundedJSON {
    /// How long a payload may be, in bytes, where nothing else is said.
    package static let longest = 65_536
    /// How many arrays and objects may lie in one another. What locks and their bridges say stays under ten.
    package static let deepest = 32

    /// - Parameter longest: bytes.
    /// - Returns: `nil` for what is not one JSON value (RFC 8259; a comma too many at the end of a list is let pass) in UTF-8, or goes
    ///   beyond a bound.
    package static func value(_ bytes: [UInt8], longest: Int = longest) -> JSONValue? {
        read(JSONValue.self, from: bytes, longest: longest)
    }

    /// Reads only what `type` asks for. It is the way to read a long text of which little is wanted.
    ///
    /// - Parameter longest: bytes.
    /// - Returns: `nil` for what is not one JSON value in UTF-8, goes beyond a bound, or is no `type`.
    package static func read<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8], longest: Int = longest) -> Value? {
        guard !bytes.isEmpty, bytes.count <= longest, isShallow(bytes), String(validating: bytes, as: UTF8.self) != nil else {
            return nil
        }
        return try? JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Whether brackets lie in one another at most `deepest` times, and no control character stands where JSON has none: the
    /// decoder would take NULs for another encoding, and then nothing here would have been counted.
    private static func isShallow(_ bytes: [UInt8]) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return false }
            if isEscaped {
                isEscaped = false
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
                isInString = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
                if depth > deepest { return false }
            }
        }
        return true
    }
}
