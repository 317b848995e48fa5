internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let fieldChecks: [ConformanceCheck] = [
        ConformanceCheck("Each key of an address is listed once with its meaning, and the list never changes") { harness in
            let fields = harness.adapter.addressFields
            try require(Set(fields.map(\.name)).count, is: fields.count, "the number of different keys")
            for field in fields {
                try require(!field.name.isEmpty, "a key is empty")
                try require(field.meaning.hasSuffix("."), "the meaning of \(field.name) is not a sentence: \(field.meaning)")
                try require(!field.isRequired || field.defaultValue == nil, "\(field.name) is required and has a default value")
            }
            _ = try await ConformanceRun(harness)
            try require(harness.adapter.addressFields, is: fields, "the fields after the start")
        },
        ConformanceCheck("`check` accepts the listed default values") { harness in
            let fields = try fields(of: harness) { $0.defaultValue != nil }
            for field in fields { try requireAccepted(field.name, field.defaultValue ?? .null, harness) }
        },
        ConformanceCheck("An address without a required key gets exactly one error: `required` for that key") { harness in
            for field in try fields(of: harness, where: \.isRequired) {
                var address = harness.address(of: 0)
                address[field.name] = nil
                let expected = AddressErrors([.init(field: "address.\(field.name)", problem: "required")])
                try require(checkResult(on: address, harness), is: .mistakes(expected), "the result without \(field.name)")
            }
        },
        ConformanceCheck("A key that is not required may be absent") { harness in
            for field in try fields(of: harness, where: { !$0.isRequired }) {
                var address = harness.address(of: 0)
                address[field.name] = nil
                if case .mistakes(let mistakes) = checkResult(on: address, harness) {
                    throw ConformanceFailure("an address without \(field.name): \(mistakes.mistakes)")
                }
            }
        },
        ConformanceCheck("Values at both ends of a range are accepted, values outside it are rejected") { harness in
            for field in try fields(of: harness, where: \.form.isRange) {
                switch field.form {
                case .integer(let range):
                    try requireAccepted(field.name, .integer(range.lowerBound), harness)
                    try requireAccepted(field.name, .integer(range.upperBound), harness)
                    if range.lowerBound > .min { try requireRejected(field.name, .integer(range.lowerBound - 1), harness) }
                    if range.upperBound < .max { try requireRejected(field.name, .integer(range.upperBound + 1), harness) }
                case .number(let range):
                    try requireAccepted(field.name, .number(range.lowerBound), harness)
                    try requireAccepted(field.name, .number(range.upperBound), harness)
                    try requireRejected(field.name, .number(range.lowerBound.nextDown), harness)
                    try requireRejected(field.name, .number(range.upperBound.nextUp), harness)
                case .text, .boolean, .word, .words: continue
                }
            }
        },
        ConformanceCheck("Only the listed values are accepted") { harness in
            for field in try fields(of: harness, where: { !$0.form.isRange }) {
                switch field.form {
                case .word(let words):
                    for word in words { try requireKnownValue(field.name, word, harness) }
                    try requireRejected(field.name, .string("no such word"), harness)
                case .words(let words):
                    try requireAccepted(field.name, .array(words.map { .string($0) }), harness)
                    try requireAccepted(field.name, .array([]), harness)
                    try requireRejected(field.name, .array([.string("no such word")]), harness)
                    try requireRejected(field.name, .array([.null]), harness)
                case .text: try requireRejected(field.name, .string(""), harness)
                case .boolean: for value in [true, false] { try requireAccepted(field.name, .bool(value), harness) }
                case .integer, .number: continue
                }
            }
        },
    ]

    /// Returns the address fields that meet a condition; at least one.
    ///
    /// - Throws: `NotApplicable` if no field meets it.
    private static func fields(
        of harness: any AdapterHarness, where condition: (AddressField) -> Bool
    ) throws(NotApplicable) -> [AddressField] {
        let fields = harness.adapter.addressFields.filter(condition)
        guard !fields.isEmpty else { throw .fields }
        return fields
    }

    private static func checkResult(on value: JSONValue, under key: String, _ harness: any AdapterHarness) -> CheckResult {
        var address = harness.address(of: 0)
        address[key] = value
        return checkResult(on: address, harness)
    }

    private static func requireAccepted(_ key: String, _ value: JSONValue, _ harness: any AdapterHarness) throws {
        guard case .mistakes(let mistakes) = checkResult(on: value, under: key, harness) else { return }
        throw ConformanceFailure("\(key) \(value): \(mistakes.mistakes)")
    }

    /// Requires that the value is accepted for its key. Errors of other keys are ignored, because
    /// the value may require keys that the harness's address does not have.
    private static func requireKnownValue(_ key: String, _ word: String, _ harness: any AdapterHarness) throws {
        guard case .mistakes(let mistakes) = checkResult(on: .string(word), under: key, harness) else { return }
        guard mistakes.mistakes.contains(where: { $0.field == "address.\(key)" }) else { return }
        throw ConformanceFailure("\(key) \(word): \(mistakes.mistakes)")
    }

    private static func requireRejected(_ key: String, _ value: JSONValue, _ harness: any AdapterHarness) throws {
        guard case .mistakes(let found) = checkResult(on: value, under: key, harness) else {
            throw ConformanceFailure("\(key) \(value) is accepted")
        }
        try require(found.mistakes.map(\.field), is: ["address.\(key)"], "the rejected fields")
    }
}

extension AddressField.Form {
    /// Whether a value of this form is a number within a range.
    fileprivate var isRange: Bool {
        switch self {
        case .integer, .number: true
        case .text, .boolean, .word, .words: false
        }
    }
}
