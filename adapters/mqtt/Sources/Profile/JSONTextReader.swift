internal import DoorwardDomain

/// Parser for one JSON text. Keys and strings are made stream-safe, see `StreamSafeText`.
struct JSONTextReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func document() -> JSONText? {
        guard let value = value(depth: 0) else { return nil }
        skipSpace()
        return at == bytes.count ? value : nil
    }

    private mutating func value(depth: Int) -> JSONText? {
        guard depth < JSONText.deepest else { return nil }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return array(depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return word("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(_ depth: Int) -> JSONText? {
        at += 1
        var fields: [String: JSONText] = [:]
        skipSpace()
        if take("}") { return .object(fields) }
        repeat {
            skipSpace()
            guard let key = string(), fields[key] == nil else { return nil }
            skipSpace()
            guard take(":"), let value = value(depth: depth + 1) else { return nil }
            fields[key] = value
            skipSpace()
        } while take(",")
        return take("}") ? .object(fields) : nil
    }

    private mutating func array(_ depth: Int) -> JSONText? {
        at += 1
        var items: [JSONText] = []
        skipSpace()
        if take("]") { return .array(items) }
        repeat {
            guard let item = value(depth: depth + 1) else { return nil }
            items.append(item)
            skipSpace()
        } while take(",")
        return take("]") ? .array(items) : nil
    }

    // MARK: Strings

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = peek {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return String(streamSafe: text)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += Array(String(Character(scalar)).utf8)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = peek else { return nil }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicodeEscape()
        default: return nil
        }
    }

    private mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let unit = fourDigits() else { return nil }
        guard (0xd800..<0xdc00).contains(unit) else { return Unicode.Scalar(unit) }
        guard take("\\"), take("u"), let low = fourDigits(), (0xdc00..<0xe000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
    }

    private mutating func fourDigits() -> UInt32? {
        guard at + 4 <= bytes.count else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[at..<at + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            unit = unit << 4 + UInt32(digit)
        }
        at += 4
        return unit
    }

    // MARK: Numbers

    private mutating func number() -> JSONText? {
        let start = at
        _ = take("-")
        guard let first = peek, isDigit(first) else { return nil }
        let whole = skipDigits()
        guard whole == 1 || first != UInt8(ascii: "0") else { return nil }
        var isWhole = true
        if take(".") {
            isWhole = false
            guard skipDigits() > 0 else { return nil }
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("-") { _ = take("+") }
            guard skipDigits() > 0 else { return nil }
        }
        // ASCII: digits, signs, a point and an exponent.
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        return isWhole ? .integer(text) : Double(text).map { .number($0) }
    }

    private mutating func skipDigits() -> Int {
        let start = at
        while let byte = peek, isDigit(byte) { at += 1 }
        return at - start
    }

    private func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    // MARK: Bytes

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard let byte = peek, Unicode.Scalar(byte) == sign else { return false }
        at += 1
        return true
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let text = Array(word.description.utf8)
        guard bytes[at...].starts(with: text) else { return false }
        at += text.count
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { at += 1 }
    }
}
