internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let attachChecks: [ConformanceCheck] = [
        ConformanceCheck("Commands and state requests for an unknown lock throw `notAttached`", locks: 1) { run in
            try require(run.failure(of: run.opening, to: 99), is: .notAttached, "the error of a command")
            try require(run.refreshFailure(99), is: .notAttached, "the error of a state request")
            try await run.pass(settlingTime)
            try await run.requireCommands([], at: 0, "after a command for another lock")
        },
        ConformanceCheck("Commands and state requests for a detached lock throw `notAttached`", locks: 1) { run in
            run.detach(0)
            try require(run.failure(of: run.opening, to: 0), is: .notAttached, "the error of a command")
            try require(run.refreshFailure(0), is: .notAttached, "the error of a state request")
        },
        ConformanceCheck("Nothing is reported for a detached lock, not even for a movement in progress", locks: 2) { run in
            try await run.set(.late, of: 0)
            try run.send(run.opening, to: 0)
            run.detach(0)
            run.recorder.forget()
            _ = try? await run.trigger(.manualTurn, at: 0)
            try await run.pass(settlingTime)
            try run.requireNoReports(of: 0, "after it was detached")
        },
        ConformanceCheck("Detaching one lock does not affect the others", locks: 3) { run in
            run.detach(1)
            for number in [0, 2] { try await run.requireConfirmation(of: run.opening, by: number) }
        },
        ConformanceCheck("Detaching a lock twice, or one that was never attached, has no effect", locks: 2) { run in
            for number in [1, 1, 99] { run.detach(number) }
            try await run.requireConfirmation(of: run.opening, by: 0)
            run.attach(1)
            try await run.pass()
            try await run.requireConfirmation(of: run.opening, by: 1)
        },
        ConformanceCheck("A lock that is attached again executes new commands, and receives none of the earlier ones", locks: 1) {
            run in
            try await run.set(.offline, of: 0)
            _ = run.failure(of: run.opening, to: 0)
            run.detach(0)
            run.attach(0)
            try await run.make(0, .prompt)
            run.recorder.forget()
            try await run.requireConfirmation(of: .lock, by: 0)
            try await run.pass(settlingTime)
            try run.requireStates([.locked], of: 0, "the states reported for one command")
            try await run.requireCommands([.lock], at: 0, "after it was attached again")
        },
        ConformanceCheck("Attaching a lock a second time does not duplicate its reports", locks: 1) { run in
            run.attach(0)
            try await run.pass()
            run.recorder.forget()
            try await run.requireConfirmation(of: run.opening, by: 0)
            try require(
                run.recorder.restingStates(of: 0).count { $0 == run.opening.resultingState }, is: 1,
                "the confirmations of one command")
        },
        ConformanceCheck("Attaching a lock again replaces its address", locks: 1) { run in
            guard let limited = run.harness.limited else { throw NotApplicable.limited }
            let lacking = run.movements.filter { !limited.capabilities.contains($0.requiredCapability ?? []) }
            run.attach(0, as: limited.address)
            try await run.pass()
            for operation in lacking {
                try require(run.failure(of: operation, to: 0), is: .unsupported, "the error of \(operation.rawValue)")
            }
            run.attach(0)
            try await run.pass()
            for operation in lacking { try await run.requireConfirmation(of: operation, by: 0) }
        },
        ConformanceCheck("A lock with an invalid address can be attached, and rejects commands", locks: 1) { run in
            let address = addressWithWrongTypes(run.harness)
            guard !address.isEmpty else { throw NotApplicable.fields }
            run.attach(1, as: address)
            try await run.pass()
            try require(run.failure(of: run.opening, to: 1) != nil, "a command to a lock with an invalid address is accepted")
            try require(run.recorder.states(of: 1).isEmpty, "a state is reported for a lock with an invalid address")
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
    ]
}

extension AdapterConformance {
    static let addressChecks: [ConformanceCheck] = [
        ConformanceCheck("An adapter's kind consists of lower-case letters and never changes") { harness in
            let kind = harness.adapter.kind
            try require(!kind.isEmpty && kind.utf8.allSatisfy { (0x61...0x7A).contains($0) }, "the kind is '\(kind)'")
            _ = try await ConformanceRun(harness)
            try require(harness.adapter.kind, is: kind, "the kind after the start")
        },
        ConformanceCheck("`check` returns the capabilities of the lock at the address") { harness in
            for number in 0..<3 {
                let found = try harness.adapter.check(address: harness.address(of: number)).capabilities
                try require(found, is: harness.capabilities, "the capabilities of lock \(number)")
            }
            if let limited = harness.limited {
                let found = try harness.adapter.check(address: limited.address).capabilities
                try require(found, is: limited.capabilities, "the capabilities of the limited lock")
            }
        },
        ConformanceCheck("`check` gives the same result before the start, while the adapter runs, and after the stop") {
            harness in
            let results = { [harness.address(of: 0), addressWithWrongTypes(harness)].map { checkResult(on: $0, harness) } }
            let expected = results()
            _ = try await ConformanceRun(harness)
            try require(results(), is: expected, "the results while the adapter runs")
            await harness.adapter.stop()
            try require(results(), is: expected, "the results after the stop")
        },
        ConformanceCheck("Checking the address of an attached lock moves no lock and causes no report", locks: 1) { run in
            for _ in 0..<3 { _ = try run.adapter.check(address: run.harness.address(of: 0)) }
            _ = checkResult(on: addressWithWrongTypes(run.harness), run.harness)
            try await run.pass(settlingTime)
            try run.requireNoReports(of: 0, "after a check")
            try await run.requireCommands([], at: 0, "after a check")
        },
        ConformanceCheck("An unknown key in an address is rejected, not ignored") { harness in
            guard !harness.adapter.addressFields.isEmpty else { throw NotApplicable.fields }
            var address = harness.address(of: 0)
            address["noSuchKey"] = .null
            let expected = AddressErrors([.init(field: "address.noSuchKey", problem: "unknown_key")])
            try require(checkResult(on: address, harness), is: .failure(expected), "the result for an unknown key")
        },
        ConformanceCheck("All errors of an address are reported at once, sorted, each with its field") { harness in
            let address = addressWithWrongTypes(harness)
            guard !address.isEmpty else { throw NotApplicable.fields }
            guard case .failure(let found) = checkResult(on: address, harness) else {
                throw ConformanceFailure("an address with a wrong value in every field is accepted")
            }
            try require(found.errors.map(\.field), is: address.keys.map { "address.\($0)" }.sorted(), "the fields")
            try require(
                found.errors.allSatisfy { isSnakeCase($0.problem) }, "a problem code is not in snake case: \(found.errors)")
        },
    ]

    /// - Parameter scope: the transports that the caller may know of.
    static func checkResult(
        on address: [String: JSONValue], _ harness: any AdapterHarness, within scope: TransportScope = .everything
    ) -> Result<LockCapabilities, AddressErrors> {
        Result { () throws(AddressErrors) in try harness.adapter.check(address: address, within: scope).capabilities }
    }

    /// Returns an address with every key that the adapter lists, each with a value of the wrong type.
    static func addressWithWrongTypes(_ harness: any AdapterHarness) -> [String: JSONValue] {
        Dictionary(harness.adapter.addressFields.map { ($0.name, $0.form.valueOfWrongType) }) { first, _ in first }
    }

    /// Returns whether the text is a code such as `out_of_range`.
    static func isSnakeCase(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }
}

extension AddressField.Form {
    /// A value of the wrong type for a field of this form.
    var valueOfWrongType: JSONValue {
        switch self {
        case .boolean: .string("true")
        case .text, .integer, .number, .word, .words: .bool(true)
        }
    }
}

extension AdapterConformance {
    static let fieldChecks: [ConformanceCheck] = [
        ConformanceCheck("Each key of an address is listed once with its meaning, and the list never changes") { harness in
            let fields = harness.adapter.addressFields
            try require(Set(fields.map(\.name)).count, is: fields.count, "the number of different keys")
            for field in fields {
                try require(!field.name.isEmpty, "a key is empty")
                try require(
                    field.description.hasSuffix("."), "the description of \(field.name) is not a sentence: \(field.description)")
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
                let expected = AddressErrors([.init(field: "address.\(field.name)", problem: "required")])
                let found = checkResult(on: nil, under: field.name, harness)
                try require(found, is: .failure(expected), "the result without \(field.name)")
            }
        },
        ConformanceCheck("A key that is not required may be absent") { harness in
            for field in try fields(of: harness, where: { !$0.isRequired }) {
                if case .failure(let errors) = checkResult(on: nil, under: field.name, harness) {
                    throw ConformanceFailure("an address without \(field.name): \(errors.errors)")
                }
            }
        },
        ConformanceCheck("Values at both ends of a range are accepted, values outside it are rejected") { harness in
            for field in try fields(of: harness, where: \.form.isRange) {
                switch field.form {
                case .integer(let range):
                    for end in [range.lowerBound, range.upperBound] { try requireAccepted(field.name, .integer(end), harness) }
                    if range.lowerBound > .min { try requireRejected(field.name, .integer(range.lowerBound - 1), harness) }
                    if range.upperBound < .max { try requireRejected(field.name, .integer(range.upperBound + 1), harness) }
                case .number(let range):
                    for end in [range.lowerBound, range.upperBound] { try requireAccepted(field.name, .number(end), harness) }
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
                    // The word may require keys that the harness's address does not have.
                    for word in words { try requireAccepted(field.name, .string(word), harness, ignoresOtherKeys: true) }
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

    /// - Parameter value: `nil` to check an address without the key.
    private static func checkResult(on value: JSONValue?, under key: String, _ harness: any AdapterHarness) -> Result<
        LockCapabilities, AddressErrors
    > {
        var address = harness.address(of: 0)
        address[key] = value
        return checkResult(on: address, harness)
    }

    private static func requireAccepted(
        _ key: String, _ value: JSONValue, _ harness: any AdapterHarness, ignoresOtherKeys: Bool = false
    ) throws {
        guard case .failure(let errors) = checkResult(on: value, under: key, harness),
            !ignoresOtherKeys || errors.errors.contains(where: { $0.field == "address.\(key)" })
        else { return }
        throw ConformanceFailure("\(key) \(value): \(errors.errors)")
    }

    private static func requireRejected(_ key: String, _ value: JSONValue, _ harness: any AdapterHarness) throws {
        guard case .failure(let found) = checkResult(on: value, under: key, harness) else {
            throw ConformanceFailure("\(key) \(value) is accepted")
        }
        try require(found.errors.map(\.field), is: ["address.\(key)"], "the rejected fields")
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
