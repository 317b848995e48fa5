internal import DoorwardAPI
internal import DoorwardDomain

/// Reads the query of a request by name, and records errors as `BodyReader` does.
struct QueryReader {
    private var items: [String: String] = [:]
    /// The further values of names that occur several times, in the order of the query.
    private var repeated: [String: [String]] = [:]
    private var asked: Set<String> = []
    let mistakes: FieldErrors
    /// Notes what is read, to describe the query; `nil` while a request is handled.
    private let recorder: InputRecorder?

    /// - Parameter query: the part after the question mark, as sent.
    init(_ query: String?, mistakes: FieldErrors, recorder: InputRecorder? = nil) {
        (self.mistakes, self.recorder) = (mistakes, recorder)
        for item in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decode(parts[0])
            let value = parts.count > 1 ? Self.decode(parts[1]) : ""
            guard let name, let value else {
                mistakes.add(String(decoding: item.prefix(64), as: UTF8.self).streamSafe, .malformed)
                continue
            }
            if items[name] == nil { items[name] = value } else { repeated[name, default: []].append(value) }
        }
    }

    /// All items, as for a form. Call `finish` too, or `rejectRepetitions`.
    var allItems: [String: String] { items }

    /// Records an error for every item that occurs several times and was not read by `texts`.
    func rejectRepetitions() {
        for (name, values) in repeated { for _ in values { mistakes.add(name, .duplicateKey) } }
    }

    /// Records an error for every item that no call has read.
    func finish() {
        rejectRepetitions()
        for name in items.keys where !asked.contains(name) { mistakes.add(name.truncated(toBytes: 64), .unknownKey) }
    }

    /// - Parameter schema: the form of the value, which the caller checks.
    mutating func text(_ name: String, as schema: @autoclosure () -> JSONSchema = .text) -> String? {
        recorder?.add(name, schema())
        asked.insert(name)
        return items[name]
    }

    /// All values of a name that can occur several times; empty if there is none.
    mutating func texts(_ name: String, maxItems: Int) -> [String] {
        recorder?.add(name, .array(.text, maxItems: maxItems))
        asked.insert(name)
        defer { repeated[name] = nil }
        return (items[name].map { [$0] } ?? []) + (repeated[name] ?? [])
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let text = text(name, as: .integer(Int64(range.lowerBound)...Int64(range.upperBound))) else { return nil }
        guard let value = Int(text) else {
            mistakes.add(name, .wrongType)
            return nil
        }
        guard range.contains(value) else {
            mistakes.add(name, .outOfRange)
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
        guard let text = text(name, as: .boolean) else { return nil }
        guard text == "true" || text == "false" else {
            mistakes.add(name, .wrongType)
            return nil
        }
        return text == "true"
    }

    mutating func word<Word: RawRepresentable<String>>(_ name: String, of words: [Word]) -> Word? {
        word(name, of: words.map(\.rawValue)).flatMap { Word(rawValue: $0) }
    }

    mutating func word(_ name: String, of words: [String]) -> String? {
        guard let text = text(name, as: .words(words)) else { return nil }
        guard let word = words.first(where: { $0.hasSameBytes(as: text) }) else {
            mistakes.add(name, .unknownValue)
            return nil
        }
        return word
    }

    mutating func requiredWord<Word: RawRepresentable<String>>(_ name: String, of words: [Word]) -> Word? {
        let word = word(name, of: words)
        require(name)
        return word
    }

    /// An id to filter by. Any text is accepted; one that is no id matches nothing.
    mutating func id<Entity>(_ name: String) -> EntityID<Entity>? { text(name).map { EntityID(orNonexistent: $0) } }

    mutating func instant(_ name: String) -> Timestamp? {
        guard let text = text(name, as: .instant) else { return nil }
        do throws(Timestamp.ParseFailure) {
            return try Timestamp(rfc3339: text)
        } catch {
            mistakes.add(name, error == .missingZone ? .missingZone : .badTime)
            return nil
        }
    }

    /// Reports an error if the query has no value of this name.
    mutating func require(_ name: String) {
        recorder?.markRequired(name)
        if items[name] == nil { mistakes.add(name, .required) }
    }

    /// The rules of the time zone with this IANA name; UTC if the query names none, or an unknown one, which is an error.
    mutating func zone(_ name: String) -> TimeZoneRules {
        let zones = TimeZoneDatabase.system
        let text = text(name, as: .string(TimeZoneNames.rules)) ?? "UTC"
        if let rules = zones.rules(of: text) { return rules }
        mistakes.add(name, .unknownZone)
        return zones.utc
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
