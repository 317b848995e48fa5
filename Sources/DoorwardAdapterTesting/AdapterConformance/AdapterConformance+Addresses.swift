internal import DoorwardAdapterKit
internal import DoorwardDomain

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
            let (good, bad) = (harness.address(of: 0), addressWithWrongTypes(harness))
            let expected = [checkResult(on: good, harness), checkResult(on: bad, harness)]
            _ = try await ConformanceRun(harness)
            try require(
                [checkResult(on: good, harness), checkResult(on: bad, harness)], is: expected,
                "the results while the adapter runs")
            await harness.adapter.stop()
            try require(
                [checkResult(on: good, harness), checkResult(on: bad, harness)], is: expected, "the results after the stop")
        },
        ConformanceCheck("Checking the address of an attached lock moves no lock and causes no report") { harness in
            let run = try await ConformanceRun(harness)
            for _ in 0..<3 { _ = try harness.adapter.check(address: harness.address(of: 0)) }
            _ = checkResult(on: addressWithWrongTypes(harness), harness)
            try await run.pass(settlingTime)
            try run.requireNoReports(of: 0, "after a check")
            try await run.requireCommands([], at: 0, "after a check")
        },
        ConformanceCheck("An unknown key in an address is rejected, not ignored") { harness in
            guard !harness.adapter.addressFields.isEmpty else { throw NotApplicable.fields }
            var address = harness.address(of: 0)
            address["noSuchKey"] = .null
            let expected = AddressErrors([.init(field: "address.noSuchKey", problem: "unknown_key")])
            try require(checkResult(on: address, harness), is: .mistakes(expected), "the result for an unknown key")
        },
        ConformanceCheck("All errors of an address are reported at once, sorted, each with its field") { harness in
            let address = addressWithWrongTypes(harness)
            guard !address.isEmpty else { throw NotApplicable.fields }
            guard case .mistakes(let found) = checkResult(on: address, harness) else {
                throw ConformanceFailure("an address with a wrong value in every field is accepted")
            }
            try require(found.mistakes.map(\.field), is: address.keys.map { "address.\($0)" }.sorted(), "the fields")
            try require(
                found.mistakes.allSatisfy { isSnakeCase($0.problem) }, "a problem code is not in snake case: \(found.mistakes)")
        },
    ]

    /// The result of checking an address.
    enum CheckResult: Equatable {
        case capabilities(LockCapabilities)
        case mistakes(AddressErrors)
    }

    /// - Parameter scope: the transports that the caller may know of.
    static func checkResult(
        on address: [String: JSONValue], _ harness: any AdapterHarness, within scope: TransportScope = .everything
    ) -> CheckResult {
        do {
            return .capabilities(try harness.adapter.check(address: address, within: scope).capabilities)
        } catch {
            return .mistakes(error)
        }
    }

    /// Returns an address with every key that the adapter lists, each with a value of the wrong type.
    static func addressWithWrongTypes(_ harness: any AdapterHarness) -> [String: JSONValue] {
        Dictionary(harness.adapter.addressFields.map { ($0.name, $0.form.valueOfWrongType) }) { first, _ in first }
    }

    /// Returns whether the text is a code such as `out_of_range`.
    private static func isSnakeCase(_ text: String) -> Bool {
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
