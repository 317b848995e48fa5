internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// What reads texts by name, of a body or a query, and reads further values from texts.
protocol WordReader {
    /// - Returns: `nil` if there is no text of this name.
    mutating func string(_ key: String, as schema: @autoclosure () -> JSONSchema) -> String?
    /// Records an error at `key`.
    func reject(_ key: String, _ problem: FieldProblemCode)
}

extension WordReader {
    /// Reads one of the values of an enumeration.
    mutating func enumValue<Word: RawRepresentable<String>>(_ key: String, of words: [Word]) -> Word? {
        enumValue(key, of: words.map(\.rawValue)).flatMap { Word(rawValue: $0) }
    }

    /// Reads one of these values.
    mutating func enumValue(_ key: String, of words: [String]) -> String? {
        guard let text = string(key, as: .words(words)) else { return nil }
        guard let word = words.first(where: { $0.hasSameBytes(as: text) }) else {
            reject(key, .unknownValue)
            return nil
        }
        return word
    }

    mutating func instant(_ key: String) -> Timestamp? {
        guard let text = string(key, as: .instant) else { return nil }
        do throws(Timestamp.ParseFailure) {
            return try Timestamp(rfc3339: text)
        } catch {
            reject(key, error == .missingZone ? .missingZone : .badTime)
            return nil
        }
    }

    /// Reads the IANA name of a zone. The rules are `nil` for an unknown name, which is an error.
    mutating func zone(_ key: String) -> (name: String?, rules: TimeZoneRules?) {
        guard let name = string(key, as: .string(.zoneName)) else { return (nil, nil) }
        let rules = TimeZoneDatabase.system.rules(of: name)
        if rules == nil { reject(key, .unknownZone) }
        return (name, rules)
    }
}

/// Reads the fields of one JSON object by name. Each call records errors and continues with a placeholder value; `FieldErrors.finish`
/// throws before any placeholder is used. A key that no call has read is an error.
struct BodyReader: WordReader {
    private let members: [String: JSONValue]
    private let path: String
    private var asked: Set<String> = []
    let errors: FieldErrors
    /// Notes what is read, to describe the body; `nil` while a request is handled.
    let recorder: InputRecorder?

    init(_ members: [String: JSONValue], path: String = "", errors: FieldErrors, recorder: InputRecorder? = nil) {
        (self.members, self.path, self.errors, self.recorder) = (members, path, errors, recorder)
    }

    /// Records an error for every key that no call has read.
    func finish() {
        for key in members.keys where !asked.contains(key) { errors.add(name(of: key), .unknownKey) }
    }

    /// Whether the body contains this key, with `null` or a value. Otherwise the field is left out.
    func names(_ key: String) -> Bool {
        recorder?.markOptional(key)
        return recorder != nil || members[key] != nil
    }

    /// Whether the body contains this key with a value, which decides between two forms of the body.
    mutating func isChosen(by key: String) -> Bool {
        asked.insert(key)
        return recorder?.chooses(by: key) ?? ((members[key] ?? .null) != .null)
    }

    /// - Parameter schema: the form of the value; `null` is allowed in addition unless `require` follows.
    /// - Returns: `nil` if the key is absent or `null`.
    mutating func value(_ key: String, as schema: @autoclosure () -> JSONSchema) -> JSONValue? {
        recorder?.add(key, schema())
        asked.insert(key)
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    func name(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func reject(_ key: String, _ problem: FieldProblemCode) { errors.add(name(of: key), problem) }

    /// Reads `key` with `read`, which returns `nil` for a value of another type.
    private mutating func optional<Value>(_ key: String, as schema: @autoclosure () -> JSONSchema, _ read: (JSONValue) -> Value?)
        -> Value?
    {
        guard let value = value(key, as: schema()) else { return nil }
        guard let read = read(value) else {
            reject(key, .wrongType)
            return nil
        }
        return read
    }

    /// Records an error if the body contains a derived field, which cannot be set.
    mutating func rejectReadOnly(_ key: String) {
        asked.insert(key)
        if members[key] != nil { reject(key, .readOnly) }
    }

    /// Records an error at `key` if the body contains `other` with a value, which `key` excludes.
    mutating func reject(_ other: String, beside key: String) {
        if value(other, as: .null) != nil { errors.add(name(of: key), "exclusive") }
    }

    // MARK: - Plain values

    mutating func bool(_ key: String) -> Bool? {
        optional(key, as: .boolean) { if case .bool(let value) = $0 { value } else { nil } }
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = optional(key, as: .integer(in: range), \.whole) else { return nil }
        guard let value = Int(exactly: value), range.contains(value) else {
            reject(key, .outOfRange)
            return nil
        }
        return value
    }

    /// - Parameter rules: the rules that the caller checks.
    mutating func string(_ key: String, _ rules: @autoclosure () -> StringSchema = StringSchema()) -> String? {
        string(key, as: .string(rules()))
    }

    mutating func string(_ key: String, as schema: @autoclosure () -> JSONSchema) -> String? {
        optional(key, as: schema()) { if case .string(let value) = $0 { value } else { nil } }
    }

    private mutating func object(_ key: String, as schema: @autoclosure () -> JSONSchema) -> [String: JSONValue]? {
        optional(key, as: schema()) { if case .object(let value) = $0 { value } else { nil } }
    }

    /// An object that the gateway stores without examining it: at most `WireLimits.freeObjectBytes`.
    mutating func freeObject(_ key: String) -> [String: JSONValue]? {
        guard let members = object(key, as: .map(.any)) else { return nil }
        var writer = JSONWriter()
        JSONValue.object(members).write(into: &writer)
        guard writer.bytes.count <= WireLimits.freeObjectBytes else {
            reject(key, .tooLong)
            return nil
        }
        return members
    }

    mutating func requiredFreeObject(_ key: String) -> [String: JSONValue] { require(key, freeObject(key)) ?? [:] }

    /// Reads an object field by field: `read` gets a separate `BodyReader` for the members of the object.
    mutating func object<Value>(_ key: String, _ read: (inout BodyReader) -> Value) -> Value? {
        guard recorder == nil else {
            recorder?.add(key, InputRecorder.schema { _ = read(&$0) })
            return nil
        }
        return object(key, as: .any).map { nested($0, key, read) }
    }

    /// Reads the members of an object at `key` field by field.
    func nested<Value>(_ members: [String: JSONValue], _ key: String, _ read: (inout BodyReader) -> Value) -> Value {
        var reader = BodyReader(members, path: name(of: key), errors: errors)
        defer { reader.finish() }
        return read(&reader)
    }

    /// Reads an array of objects, each field by field: `read` gets a separate `BodyReader` for the members of each.
    mutating func objects<Value>(_ key: String, maxItems: Int, _ read: (inout BodyReader) -> Value) -> [Value]? {
        guard recorder == nil else {
            recorder?.add(key, .array(InputRecorder.schema { _ = read(&$0) }, maxItems: maxItems))
            return nil
        }
        guard let elements = elements(key, as: .any, maxItems: maxItems) else { return nil }
        return elements.indices.compactMap { index in
            guard case .object(let members) = elements[index] else {
                reject("\(key)[\(index)]", .wrongType)
                return nil
            }
            return nested(members, "\(key)[\(index)]", read)
        }
    }

    /// Reads an array of at most `maxItems` elements, which the caller reads.
    ///
    /// - Parameter schema: the form of the array.
    mutating func elements(_ key: String, as schema: @autoclosure () -> JSONSchema, maxItems: Int) -> [JSONValue]? {
        let elements: [JSONValue]? = optional(key, as: schema()) { if case .array(let value) = $0 { value } else { nil } }
        guard let elements else { return nil }
        guard elements.count <= maxItems else {
            reject(key, .tooLong)
            return nil
        }
        return elements
    }

    /// Records an error for a required field that is absent or `null`. For a value of a wrong type,
    /// the error has been recorded already.
    mutating func require<Value>(_ key: String, _ value: Value?) -> Value? {
        recorder?.markRequired(key)
        if value == nil, (members[key] ?? .null) == .null { reject(key, .required) }
        return value
    }
}

extension JSONValue {
    /// The value as a whole number; `nil` for a fraction or a value that is not a number. A whole number that `JSONParser` could
    /// not represent as an integer becomes `.min` or `.max`, which is outside every range here.
    fileprivate var whole: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value) where value.rounded() == value: value < 0 ? .min : .max
        default: nil
        }
    }
}

/// The errors of one request, collected while it is read, so that one response contains all of them.
final class FieldErrors {
    /// Maximum number of problems in one response. A body can contain 20,000.
    static let maxProblems = 100
    /// Maximum length of a field's name in a response, in bytes.
    static let maxFieldBytes = 256

    private(set) var problems: [FieldProblem] = []

    func add(_ field: String, _ problem: FieldProblemCode) { add(field, problem.rawValue) }

    /// Adds a problem with a code that a use case defines.
    func add(_ field: String, _ problem: String) {
        problems.append(FieldProblem(field: field.truncated(toBytes: Self.maxFieldBytes), problem: problem))
    }

    /// - Throws: `.invalid` with the first `maxProblems` problems, in the order of the fields' names.
    func finish() throws(GatewayError) {
        guard !problems.isEmpty else { return }
        let sorted = problems.sorted { ($0.field, $0.problem) < ($1.field, $1.problem) }
        throw .invalid(Array(sorted.prefix(Self.maxProblems)))
    }
}

/// The zone of the local times of a request, from its fields `timeZone` and `fold`.
struct RequestedZone {
    /// The name; `nil` if the request has none.
    let name: String?
    /// The rules of the zone; `nil` without a name, and for an unknown one.
    fileprivate let rules: TimeZoneRules?
    /// Which instant a repeated local time means.
    fileprivate let fold: Fold

    init(_ body: inout BodyReader) {
        (name, rules) = body.zone("timeZone")
        fold = body.enumValue("fold", of: Fold.allCases) ?? .first
    }
}

extension ResolvedLocalTime {
    /// The value of a time that could not be read.
    static let placeholder = ResolvedLocalTime(instant: Timestamp(milliseconds: 0), change: .none)
}

// Reads times, zones and schedules.
extension BodyReader {
    /// Reads an instant with an offset, or a local time in the zone of the request.
    mutating func time(_ key: String, in zone: RequestedZone) -> ResolvedLocalTime? {
        guard let text = string(key, as: .string(.time)) else { return nil }
        if let instant = try? Timestamp(rfc3339: text) { return ResolvedLocalTime(instant: instant, change: .none) }
        guard let local = LocalDateTime(text) else {
            reject(key, .badTime)
            return nil
        }
        guard let rules = zone.rules else {
            // The error for an unknown zone has been reported at the field of the zone.
            if zone.name == nil { reject(key, .missingZone) }
            return .placeholder
        }
        return rules.resolve(local, fold: zone.fold)
    }

    /// Reads the recurring hours of a guest access.
    mutating func schedule(_ key: String) -> Schedule? {
        object(key) { body in
            Schedule(
                timeZone: body.zone("timeZone").name,
                periods: body.require(
                    "periods",
                    body.objects("periods", maxItems: WireLimits.schedulePeriods) { body in
                        let days = body.require("days", body.enumValues("days", of: Weekday.allCases, problem: .unknownDay))
                        if days?.isEmpty == true { body.reject("days", .empty) }
                        let hours = body.hours()
                        return Schedule.Period(days: WeekdaySet(days ?? []), from: hours.from, until: hours.until)
                    }) ?? [],
                specialDays: body.objects("specialDays", maxItems: WireLimits.scheduleSpecialDays) { $0.specialDay() } ?? [],
                specialDayCut: body.enumValue("specialDayCut", of: Schedule.SpecialDayCut.allCases) ?? .instant)
        }
    }

    private mutating func specialDay() -> Schedule.SpecialDay {
        let text = require("date", string("date", .date))
        let date = text.flatMap { CivilDate($0) }
        if text != nil, date == nil { reject("date", .badTime) }
        let periods = require("periods", objects("periods", maxItems: WireLimits.schedulePeriods) { $0.hours() })
        return Schedule.SpecialDay(date: date ?? CivilDate(daysSinceEpoch: 0), periods: periods ?? [])
    }

    /// Reads `from` and `until` of a period.
    private mutating func hours() -> Schedule.Hours {
        let (from, until) = (wallTime("from", .startTime), wallTime("until", .wallTime))
        // 24:00 is the end of a day, so hours cannot begin at it.
        if from == .endOfDay { reject("from", .badTime) }
        return Schedule.Hours(from: from ?? .endOfDay, until: until ?? .endOfDay)
    }

    private mutating func wallTime(_ key: String, _ rules: @autoclosure () -> StringSchema) -> LocalTime? {
        guard let text = require(key, string(key, rules())) else { return nil }
        let time = LocalTime(text)
        if time == nil { reject(key, .badTime) }
        return time
    }
}

extension StringSchema {
    /// The form of all IANA names of time zones. Not every text of this form is a name.
    fileprivate static let zoneName = StringSchema(maxLength: 64, pattern: "^(UTC|[!-~]+/[!-~]+)$")

    /// An instant of RFC 3339; or a local time, without an offset, of which 24:00 is the end of the day.
    static let time: StringSchema = {
        let longMonth = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
        let day = "[0-9]{4}-(\(longMonth)|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
        let (minute, second) = ("([01][0-9]|2[0-3]):[0-5][0-9]", #":([0-5][0-9]|60)(\.[0-9]{1,9})?"#)
        let instant = "\(minute)\(second)([Zz]|[+-]\(minute))"
        return StringSchema(pattern: "^\(day)[Tt](\(instant)|\(minute)(\(second))?|24:00(:00)?)$")
    }()
}
