package import DoorwardDomain

/// Writes JSON incrementally, with keys in the order of the calls.
package struct JSONWriter {
    /// What was written until now.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// A writer that has written nothing.
    package init() { bytes.reserveCapacity(1024) }

    // MARK: - Structure

    /// Writes an object with the fields that `fields` writes.
    package mutating func object(_ fields: (inout Self) -> Void) { enclosed("{", "}", fields) }

    /// Writes an entity as an object with the fields that `reader` may see.
    package mutating func object<Entity>(
        _ entity: Entity, _ fields: [Field<Entity>], for reader: FieldReader, in tenancy: TenancyDirectory
    ) {
        object { $0.fields(entity, fields, for: reader, in: tenancy) }
    }

    /// Adds the fields of an entity that `reader` may see to the current object.
    package mutating func fields<Entity>(
        _ entity: Entity, _ fields: [Field<Entity>], for reader: FieldReader, in tenancy: TenancyDirectory
    ) {
        for field in fields {
            let value = field.value(of: entity, for: reader, in: tenancy)
            if case .absent = value { continue }
            separate()
            bytes.append(contentsOf: field.key)
            value.write(into: &self)
            needsComma = true
        }
    }

    /// Writes an object; members that are absent are left out.
    mutating func object(_ members: [FieldValue.Member]) {
        object { writer in
            for member in members where member.value != .absent { writer.field(member.name, member.value) }
        }
    }

    /// Writes an object with its keys in ascending order, so that equal values give equal JSON.
    fileprivate mutating func object(_ members: [String: some JSONRenderable]) {
        object { writer in
            for (key, value) in members.sorted(by: { $0.key < $1.key }) { writer.field(key, value) }
        }
    }

    /// Writes an array; `write` writes each element.
    package mutating func array<Elements: Sequence>(_ elements: Elements, _ write: (inout Self, Elements.Element) -> Void) {
        _ = array(elements, maxBytes: .max, write)
    }

    /// Writes elements until they have more than `maxBytes`.
    ///
    /// - Returns: the number of elements written. It is at least 1 if there are any, and smaller than the number of `elements` if
    ///   the next element did not fit.
    package mutating func array<Elements: Sequence>(
        _ elements: Elements, maxBytes: Int, _ write: (inout Self, Elements.Element) -> Void
    ) -> Int {
        let start = bytes.count
        var count = 0
        enclosed("[", "]") { writer in
            for element in elements {
                guard count == 0 || writer.bytes.count - start <= maxBytes else { break }
                writer.separate()
                write(&writer, element)
                writer.needsComma = true
                count += 1
            }
        }
        return count
    }

    private mutating func enclosed(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout Self) -> Void) {
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }

    // MARK: - Fields

    /// Writes a field of the current object.
    package mutating func field(_ name: String, _ value: some JSONRenderable) {
        field(name) { value.write(into: &$0) }
    }

    /// Writes a field of the current object, with the value that `write` writes.
    package mutating func field(_ name: String, _ write: (inout Self) -> Void) {
        beginField(name)
        write(&self)
        needsComma = true
    }

    @inline(never)
    private mutating func beginField(_ name: String) {
        separate()
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a field, or nothing if `value` is `nil`.
    package mutating func fieldIfPresent(_ name: String, _ value: (some JSONRenderable)?) {
        if let value { field(name, value) }
    }

    // MARK: - Values

    /// Writes `null`.
    package mutating func null() { raw("null") }

    /// Writes a text as it is.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes a value that is already JSON.
    package mutating func rendered(_ json: some Sequence<UInt8>) { bytes.append(contentsOf: json) }

    /// Writes an integer.
    package mutating func number(_ value: some BinaryInteger) { bytes.append(contentsOf: value.description.utf8) }

    mutating func number(_ value: Double) { bytes.append(contentsOf: "\(value)".utf8) }

    /// Writes a text with its quotation marks, and escapes what JSON requires.
    package mutating func string(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            // Nearly every text needs no escapes, and is appended at once instead of byte by byte.
            if utf8.contains(where: Self.needsEscape) {
                for byte in utf8 { if Self.needsEscape(byte) { escape(byte) } else { bytes.append(byte) } }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a text that needs no escapes: ASCII without control characters, quotes and backslashes.
    mutating func plain(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        guard byte < 0x20 else { return bytes.append(contentsOf: [UInt8(ascii: "\\"), byte]) }
        raw("\\u00")
        bytes.append(contentsOf: [byte].hexadecimal.utf8)
    }
}

/// A value that can be written into a response.
package protocol JSONRenderable {
    /// Writes the value in JSON.
    func write(into writer: inout JSONWriter)
}

extension FieldConvertible {
    /// Writes the value in the form of a field.
    package func write(into writer: inout JSONWriter) { fieldValue.write(into: &writer) }
}

extension Optional: JSONRenderable where Wrapped: JSONRenderable {
    package func write(into writer: inout JSONWriter) {
        if let self { self.write(into: &writer) } else { writer.null() }
    }
}

extension Array: JSONRenderable where Element: JSONRenderable {
    package func write(into writer: inout JSONWriter) { writer.array(self) { $1.write(into: &$0) } }
}

extension FieldValue: JSONRenderable {
    package func write(into writer: inout JSONWriter) {
        switch self {
        case .absent, .null: writer.null()
        case .bool(let value): writer.raw(value ? "true" : "false")
        case .integer(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .identifier(let id): id.withText { writer.plain($0) }
        case .instant(let instant): instant.withText { writer.plain($0) }
        case .list(let values): values.write(into: &writer)
        case .strings(let values): values.write(into: &writer)
        case .object(let members): writer.object(members)
        case .free(let members): writer.object(members)
        case .details(let members): writer.object(members)
        }
    }
}

extension JSONValue: JSONRenderable {
    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): value.write(into: &writer)
        case .integer(let value): value.write(into: &writer)
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .array(let values): values.write(into: &writer)
        case .object(let members): writer.object(members)
        }
    }
}

extension RecordValue: JSONRenderable {
    /// Writes an erased personal value as `null`, and keys in ascending order.
    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null, .withheld: writer.null()
        case .bool(let value): value.write(into: &writer)
        case .integer(let value): value.write(into: &writer)
        case .string(let value), .personal(let value, _): writer.string(value)
        case .array(let values): writer.array(values) { $1.write(into: &$0) }
        case .object(let members): writer.object(members)
        }
    }
}
