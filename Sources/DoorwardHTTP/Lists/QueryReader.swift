internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// Reads the query of a request by name, and records errors as `BodyReader` does.
struct QueryReader: WordReader {
    private var items: [String: String] = [:]
    /// The further values of names that occur several times, in the order of the query.
    private var repeated: [String: [String]] = [:]
    private var asked: Set<String> = []
    let errors: FieldErrors
    /// Notes what is read, to describe the query; `nil` while a request is handled.
    private let recorder: InputRecorder?

    /// - Parameter query: the part after the question mark, as sent.
    init(_ query: String?, errors: FieldErrors, recorder: InputRecorder? = nil) {
        (self.errors, self.recorder) = (errors, recorder)
        for item in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decode(parts[0])
            let value = parts.count > 1 ? Self.decode(parts[1]) : ""
            guard let name, let value else {
                errors.add(String(decoding: item.prefix(64), as: UTF8.self).streamSafe, .malformed)
                continue
            }
            if items[name] == nil { items[name] = value } else { repeated[name, default: []].append(value) }
        }
    }

    /// All items, as for a form. Call `finish` too, or `rejectRepetitions`.
    var allItems: [String: String] { items }

    /// Records an error for every item that occurs several times and was not read by `texts`.
    func rejectRepetitions() {
        for (name, values) in repeated { for _ in values { errors.add(name, .duplicateKey) } }
    }

    /// Records an error for every item that no call has read.
    func finish() {
        rejectRepetitions()
        for name in items.keys where !asked.contains(name) { errors.add(name.truncated(toBytes: 64), .unknownKey) }
    }

    /// - Parameter schema: the form of the value, which the caller checks.
    mutating func string(_ name: String, as schema: @autoclosure () -> JSONSchema = .text) -> String? {
        recorder?.add(name, schema())
        asked.insert(name)
        return items[name]
    }

    func reject(_ name: String, _ problem: FieldProblemCode) { errors.add(name, problem) }

    /// All values of a name that can occur several times; empty if there is none.
    mutating func texts(_ name: String, maxItems: Int) -> [String] {
        recorder?.add(name, .array(.text, maxItems: maxItems))
        asked.insert(name)
        defer { repeated[name] = nil }
        return (items[name].map { [$0] } ?? []) + (repeated[name] ?? [])
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let text = string(name, as: .integer(in: range)) else { return nil }
        guard let value = Int(text) else {
            errors.add(name, .wrongType)
            return nil
        }
        guard range.contains(value) else {
            errors.add(name, .outOfRange)
            return nil
        }
        return value
    }

    /// A number that the query must have. After an error, returns the lower bound.
    mutating func requiredInteger(_ name: String, in range: ClosedRange<Int>) -> Int {
        let value = integer(name, in: range)
        require(name)
        return value ?? range.lowerBound
    }

    mutating func bool(_ name: String) -> Bool? {
        guard let text = string(name, as: .boolean) else { return nil }
        guard text == "true" || text == "false" else {
            errors.add(name, .wrongType)
            return nil
        }
        return text == "true"
    }

    mutating func requiredEnumValue<Word: RawRepresentable<String>>(_ name: String, of words: [Word]) -> Word? {
        let word = enumValue(name, of: words)
        require(name)
        return word
    }

    /// An id to filter by. Any text is accepted; a text that is not an id matches nothing.
    mutating func id<Entity>(_ name: String) -> EntityID<Entity>? { string(name).map { EntityID(orNonexistent: $0) } }

    /// Reports an error if the query has no value of this name.
    mutating func require(_ name: String) {
        recorder?.markRequired(name)
        if items[name] == nil { errors.add(name, .required) }
    }

    /// Percent-decodes a text, with `+` as a space. Returns `nil` if an escape is incomplete, or if
    /// the result is not UTF-8 or not stream-safe.
    private static func decode(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), let low = rest.popFirst(),
                    let first = Character(Unicode.Scalar(high)).hexDigitValue,
                    let second = Character(Unicode.Scalar(low)).hexDigitValue
                else { return nil }
                bytes.append(UInt8(first << 4 | second))
            default: bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self), text.isStreamSafe else { return nil }
        return text
    }
}

/// The filters of a list of access records, read from a query.
struct RecordFilterQuery {
    /// `nil` if no record can match: two filters name different logs, and no record is in two.
    let filter: RecordFilter?
    /// The time that the query names, also if no record can match.
    let (from, until): (Timestamp?, Timestamp?)
    /// The canonical form of the filters, which does not depend on their order in the query. A cursor is bound to this form.
    let canonical: String

    /// - Parameter device: the device in the path, if the request is for the records of one lock.
    init(_ query: inout QueryReader, device: DeviceID? = nil) {
        var (filter, canonical) = (RecordFilter(), "")
        func narrow<Value: CustomStringConvertible>(_ name: String, _ value: Value?, _ put: (inout RecordFilter, Value) -> Void) {
            guard let value else { return }
            canonical += "/\(name)=\(value)"
            put(&filter, value)
        }
        func narrow<Word: RawRepresentable<String>>(_ name: String, of words: [Word], _ put: (inout RecordFilter, Word) -> Void) {
            guard let word = query.enumValue(name, of: words) else { return }
            narrow(name, word.rawValue) { filter, _ in put(&filter, word) }
        }
        narrow("deviceId", device ?? query.id("deviceId")) { $0.deviceID = $1 }
        narrow("unitId", query.id("unitId")) { $0.unitID = $1 }
        narrow("propertyId", query.id("propertyId")) { $0.propertyID = $1 }
        narrow("portfolioId", query.id("portfolioId")) { $0.log = .portfolio($1) }
        let ofPortfolio = filter.log
        narrow("logId", query.string("logId").map { LogID($0) ?? .portfolio(.nonexistent) }) { $0.log = $1 }
        let isPossible = ofPortfolio == nil || ofPortfolio == filter.log
        narrow("userId", query.id("userId")) { $0.actorUserID = $1 }
        narrow("kind", of: RecordKind.allCases) { $0.kind = $1 }
        narrow("operation", of: LockOperation.allCases) { $0.operation = $1 }
        narrow("decision", of: RecordDecision.allCases) { $0.decision = $1 }
        narrow("reason", of: DenialReason.allCases) { $0.reason = $1 }
        narrow("outcome", of: CommandState.allCases.filter(\.isEnd)) { $0.outcome = $1 }
        (from, until) = (query.instant("from"), query.instant("until"))
        narrow("from", from) { $0.from = $1 }
        narrow("until", until) { $0.until = $1 }
        (self.filter, self.canonical) = (isPossible ? filter : nil, canonical)
    }
}
