/// Extracts parts of JSON texts without decoding them, so that they can be passed on as written.
enum JSONScanner {
    /// Returns the value of the member `name` of an object; `nil` if the text is not an object or has no such member. A name
    /// written with escapes does not match.
    static func member(_ name: String, of object: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        var scanner = Scanner(Array(object))
        guard scanner.skip("{") else { return nil }
        while let key = scanner.value(), scanner.skip(":"), let value = scanner.value() {
            if key.elementsEqual("\"\(name)\"".utf8) { return Array(value) }
            guard scanner.skip(",") else { return nil }
        }
        return nil
    }

    /// Returns the items of an array as written; `nil` if the text is not an array.
    static func items(of array: some RandomAccessCollection<UInt8>) -> [[UInt8]]? {
        var scanner = Scanner(Array(array))
        guard scanner.skip("[") else { return nil }
        var items: [[UInt8]] = []
        if scanner.skip("]") { return items }
        while let value = scanner.value() {
            items.append(Array(value))
            if scanner.skip("]") { return items }
            guard scanner.skip(",") else { return nil }
        }
        return nil
    }
}

/// A position in a JSON text.
private struct Scanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Skips white space, and then `character` if it comes next. Returns whether it came next.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Skips one value and returns its bytes; `nil` if the text ends before the value does.
    mutating func value() -> ArraySlice<UInt8>? {
        skipSpace()
        let start = index
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): guard skipString() else { return nil }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            default: skipWord()
            }
            if depth == 0 { return index > start ? bytes[start..<index] : nil }
            guard depth > 0 else { return nil }
        }
        return nil
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    /// - Returns: whether the string is terminated.
    private mutating func skipString() -> Bool {
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return true }
        }
        return false
    }

    /// Skips a number or a literal, or, inside an array or object, a comma or colon.
    private mutating func skipWord() {
        let ends = Array("{}[]\",: \t\n\r".utf8)
        repeat { index += 1 } while index < bytes.count && !ends.contains(bytes[index])
    }
}
