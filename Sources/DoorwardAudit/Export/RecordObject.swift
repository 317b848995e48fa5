import Crypto
import DoorwardDomain
import FoundationEssentials

/// Writes the fields of a record as the JSON object that exports contain, from the record's bytes. There is exactly one such
/// object for a record and its disclosed values, so a verifier writes it again into a `TextComparison`.
struct RecordObject<Text: TextOutput> {
    /// The JSON object.
    var text: Text
    /// The record's number in its log.
    private(set) var seq: UInt64 = 0
    /// The record's time in milliseconds.
    private(set) var at: Int64 = 0

    private let log: [UInt8]
    private var personal: [DisclosedValue?] = []
    private var personalCount = 0
    /// The numbers of the fields seen so far, as bits.
    private var seen: UInt64 = 0

    /// - Parameter log: the text of the log that the record must belong to.
    init(log: [UInt8], text: Text) { (self.log, self.text) = (log, text) }

    /// Appends the object of a record to the text.
    ///
    /// - Parameter personal: the values of the record's commitments in order, each verified against its commitment.
    mutating func append(_ bytes: [UInt8], personal: [DisclosedValue?]) throws(ExportFault.Problem) {
        try bytes.withUnsafeBufferPointer { bytes throws(ExportFault.Problem) in try append(bytes, personal: personal) }
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, personal: [DisclosedValue?]) throws(ExportFault.Problem) {
        (self.personal, personalCount, seen) = (personal, 0, 0)
        guard bytes.count >= 5, bytes.count <= RecordEncoding.maxByteCount, bytes.starts(with: RecordWriter.magic),
            bytes[4] == RecordEncoding.version
        else { throw .notARecord }
        text.append(UInt8(ascii: "{"))
        var (position, last) = (5, 0 as UInt8)
        while position < bytes.count {
            guard position + 3 <= bytes.count, let field = RecordField(rawValue: bytes[position]), bytes[position] > last else {
                throw .notARecord
            }
            let start = position + 3
            let end = start + Int(bytes[position + 1]) << 8 + Int(bytes[position + 2])
            guard end <= bytes.count else { throw .notARecord }
            try write(field, UnsafeBufferPointer(rebasing: bytes[start..<end]), isFirst: last == 0)
            seen |= 1 << UInt64(field.rawValue)
            (last, position) = (field.rawValue, end)
        }
        text.append(UInt8(ascii: "}"))
        guard Self.required.allSatisfy(has), !has(.deviceName) || has(.deviceID), has(.targetType) == has(.targetID) else {
            throw .notARecord
        }
        guard personalCount == personal.count else { throw .wrongPersonalValue }
    }

    private static var required: [RecordField] { [.logID, .seq, .id, .at, .kind, .actorKind, .source] }

    private func has(_ field: RecordField) -> Bool { seen & 1 << UInt64(field.rawValue) != 0 }

    private mutating func write(
        _ field: RecordField, _ value: UnsafeBufferPointer<UInt8>, isFirst: Bool
    ) throws(ExportFault.Problem) {
        let key = field.exportKey.utf8
        text.append(contentsOf: isFirst ? UnsafeBufferPointer(rebasing: key.dropFirst()) : key)
        switch field.form {
        case .log:
            guard value.elementsEqual(log) else { throw .otherLog }
            string(value)
        case .unsigned:
            guard let number = value.bigEndianUInt64, number <= UInt64(Int64.max) else { throw .notARecord }
            seq = number
            text.append(string: String(number))
        case .instant:
            guard let number = value.bigEndianUInt64 else { throw .notARecord }
            at = Int64(bitPattern: number)
            text.append(UInt8(ascii: "\""))
            Timestamp(milliseconds: at).withText { text.append(contentsOf: $0) }
            text.append(UInt8(ascii: "\""))
        case .signed:
            guard let number = value.bigEndianUInt64 else { throw .notARecord }
            text.append(string: String(Int64(bitPattern: number)))
        case .id:
            // Ids of all types have the same form.
            guard RecordID(text: value) != nil else { throw .notARecord }
            string(value)
        case .word:
            guard Self.isWord(value) else { throw .notARecord }
            string(value)
        case .text:
            guard value.allSatisfy({ $0 < 0x80 }) || String(validating: value, as: UTF8.self) != nil else { throw .notARecord }
            escaped(value)
        case .rule: try rule(value)
        case .commitment: try commitment(field, value)
        case .details: try details(value)
        }
    }

    /// A word of the format, also one that this program does not know yet.
    private static func isWord(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = value.first, isLetter(first) else { return false }
        return value.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) && byte < 0x80 }

    // MARK: - Values

    /// A value without characters that need an escape.
    private mutating func string(_ value: UnsafeBufferPointer<UInt8>) {
        text.append(UInt8(ascii: "\""))
        text.append(contentsOf: value)
        text.append(UInt8(ascii: "\""))
    }

    private mutating func escaped(_ value: UnsafeBufferPointer<UInt8>) {
        if value.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            string(value)
        } else {
            CanonicalJSON.append(String(decoding: value, as: UTF8.self), to: &text)
        }
    }

    private mutating func rule(_ value: UnsafeBufferPointer<UInt8>) throws(ExportFault.Problem) {
        guard let rule = Rule(recordText: value) else { throw .notARecord }
        text.append("{\"kind\":\"")
        text.append(string: rule.kind)
        if let id = rule.id {
            text.append("\",\"id\":\"")
            text.append(string: id)
            text.append("\",\"role\":\"")
        } else {
            text.append("\",\"id\":null,\"role\":\"")
        }
        text.append(string: rule.role.rawValue)
        text.append("\"}")
    }

    private mutating func commitment(_ field: RecordField, _ value: UnsafeBufferPointer<UInt8>) throws(ExportFault.Problem) {
        guard let commitment = Digest32(value), let name = field.personalName else { throw .notARecord }
        let disclosed = try next(name, commitment)
        if field == .override { text.append("{\"reason\":") }
        if let disclosed { CanonicalJSON.append(disclosed, to: &text) } else { text.append("null") }
        if field == .override { text.append(UInt8(ascii: "}")) }
    }

    /// The next personal value, verified.
    private mutating func next(_ field: String, _ commitment: Digest32) throws(ExportFault.Problem) -> String? {
        guard personalCount < personal.count else { throw .wrongPersonalValue }
        defer { personalCount += 1 }
        guard let disclosed = personal[personalCount] else { return nil }
        // A commitment is a hash of field, salt and value, so equal commitments are to the same value of the same field.
        if disclosed.verified == commitment { return disclosed.value }
        guard PersonalFieldPath.commitment(to: disclosed.value, in: field, salt: disclosed.salt) == commitment else {
            throw .wrongPersonalValue
        }
        return disclosed.value
    }

    // MARK: - Details

    private mutating func details(_ value: UnsafeBufferPointer<UInt8>) throws(ExportFault.Problem) {
        do {
            var reader = DetailsReader(value)
            let details = try reader.details { field, commitment, _ in
                try next(field, commitment)
            }
            // Without a `$` the text of the record is that of the export.
            if value.contains(DetailsFormat.reserved) {
                try DetailsWriter.append(details, as: .shown, to: &text)
            } else {
                text.append(contentsOf: value)
            }
        } catch {
            throw error as? ExportFault.Problem ?? .notARecord
        }
    }
}

extension RecordObject: Sendable where Text: Sendable {}

extension RecordObject<[UInt8]> {
    /// - Parameters:
    ///   - log: the log that the record must belong to.
    ///   - byteCount: the length of the text that memory is reserved for.
    init(log: LogID, byteCount: Int = 0) {
        self.init(log: Array(log.description.utf8), text: [])
        text.reserveCapacity(byteCount)
    }
}

extension RecordField {
    /// The forms of values that docs/log-format.md defines.
    enum Form {
        case log, unsigned, instant, signed, id, word, text, rule, commitment, details
    }

    var form: Form {
        switch self {
        case .logID: .log
        case .seq: .unsigned
        case .at: .instant
        case .latencyMs: .signed
        case .id, .actorUserID, .deviceID, .unitID, .propertyID, .portfolioID, .commandID: .id
        case .kind, .operation, .decision, .reason, .actorKind, .source, .outcome, .stateBefore, .stateAfter, .event, .method,
            .action:
            .word
        case .actorID, .requestID, .deviceName, .outcomeDetail, .targetType, .targetID: .text
        case .rule: .rule
        case .actorName, .clientAddress, .statedReason, .override: .commitment
        case .details: .details
        }
    }

    /// The name of the field in docs/log-format.md and in the API.
    package var exportName: String { String(decoding: exportKey.utf8.dropFirst(2).dropLast(2), as: UTF8.self) }

    /// The name in an object, after another member.
    fileprivate var exportKey: StaticString { Self.exportKeys[Int(rawValue) - 1] }

    /// By number, from 1 on.
    private static let exportKeys: [StaticString] = [
        ",\"logId\":", ",\"seq\":", ",\"id\":", ",\"at\":", ",\"kind\":", ",\"operation\":", ",\"decision\":",
        ",\"reason\":", ",\"rule\":", ",\"actorKind\":", ",\"actorId\":", ",\"actorName\":", ",\"actorUserId\":",
        ",\"source\":", ",\"clientAddress\":", ",\"requestId\":", ",\"deviceId\":", ",\"deviceName\":", ",\"unitId\":",
        ",\"propertyId\":", ",\"portfolioId\":", ",\"commandId\":", ",\"outcome\":", ",\"outcomeDetail\":",
        ",\"stateBefore\":", ",\"stateAfter\":", ",\"latencyMs\":", ",\"statedReason\":", ",\"override\":", ",\"event\":",
        ",\"method\":", ",\"action\":", ",\"targetType\":", ",\"targetId\":", ",\"details\":",
    ]
}

extension StaticString {
    var utf8: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
