import DoorwardAdapterKit
import DoorwardDomain
import Testing

@Suite struct AddressCheckTests {
    private static let fields = [
        AddressField("lock", .integer(1...247), isRequired: true, description: "The number."),
        AddressField("weight", .number(0.5...2), description: "The weight."),
        AddressField("note", .text, description: "Anything else."),
        AddressField("isLoud", .boolean, description: "Whether it is heard."),
        AddressField("mode", .word(["fast", "slow"]), description: "How it moves."),
        AddressField("tags", .words(["old", "new"]), description: "What is said of it."),
    ]

    private func problems(_ address: [String: JSONValue]) -> [String] {
        do { try Self.fields.check(address) } catch { return error.errors.map { "\($0.field) \($0.problem)" } }
        return []
    }

    @Test(
        "An address with all required fields and values of the right form is accepted",
        arguments: [
            [:], ["weight": .number(0.5)], ["weight": .integer(2)], ["note": .string(" ")], ["isLoud": .bool(false)],
            ["mode": .string("slow")], ["tags": .array([])], ["tags": .array([.string("new"), .string("old")])],
        ] as [[String: JSONValue]])
    func accepted(_ others: [String: JSONValue]) {
        #expect(problems(others.merging(["lock": .integer(1)]) { $1 }) == [])
    }

    @Test(
        "A value of another type, or outside the field's limits, is an error",
        arguments: [
            ("lock", .integer(0), "out_of_range"), ("lock", .integer(248), "out_of_range"), ("lock", .number(1.5), "wrong_type"),
            ("lock", .null, "wrong_type"), ("weight", .number(2.1), "out_of_range"), ("weight", .integer(3), "out_of_range"),
            ("weight", .number(.nan), "out_of_range"), ("weight", .string("1"), "wrong_type"), ("note", .string(""), "too_short"),
            ("note", .integer(1), "wrong_type"), ("isLoud", .integer(1), "wrong_type"),
            ("mode", .string("Fast"), "unknown_value"),
            ("mode", .array([]), "wrong_type"), ("tags", .string("old"), "wrong_type"), ("tags", .array([.null]), "wrong_type"),
            ("tags", .array([.string("grey")]), "unknown_value"),
            ("tags", .array([.string("old"), .string("old")]), "unknown_value"),
        ] as [(String, JSONValue, String)])
    func rejected(_ key: String, _ value: JSONValue, _ problem: String) {
        #expect(problems(["lock": .integer(1)].merging([key: value]) { $1 }) == ["address.\(key) \(problem)"])
    }

    @Test("All errors are reported, sorted by field, including unknown and missing keys")
    func all() {
        #expect(
            problems(["weight": .null, "a": .null, "note": .string(""), "z": .integer(1)]) == [
                "address.a unknown_key", "address.lock required", "address.note too_short", "address.weight wrong_type",
                "address.z unknown_key",
            ])
    }

    @Test("Without fields only an empty address is accepted")
    func none() throws {
        try [AddressField]().check([:])
        #expect(throws: AddressErrors.self) { try [AddressField]().check(["a": .null]) }
    }
}
