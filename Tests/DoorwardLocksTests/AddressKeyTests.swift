import DoorwardAdapterKit
import DoorwardDomain
import DoorwardKernel
import Testing

@testable import DoorwardLocks

@Suite struct AddressKeyTests {
    private static func key(_ form: AddressField.Form, isRequired: Bool = false) -> AddressKey {
        AddressKey(AddressField("f", form, isRequired: isRequired, default: .integer(3), description: "What it means."))
    }

    @Test(
        "each form of an address field is described by its JSON type and only by the limits that it has",
        arguments: [
            (.text, "string", nil, nil, nil), (.boolean, "boolean", nil, nil, nil),
            (.integer(-5...60_000), "integer", .integer(-5), .integer(60_000), nil),
            (.number(0...0.5), "number", .number(0), .number(0.5), nil), (.word(["a", "b"]), "string", nil, nil, ["a", "b"]),
            (.words(["a"]), "array", nil, nil, ["a"]),
        ] as [(AddressField.Form, String, JSONValue?, JSONValue?, [String]?)])
    func forms(_ form: AddressField.Form, _ type: String, _ minimum: JSONValue?, _ maximum: JSONValue?, _ values: [String]?) {
        let key = Self.key(form, isRequired: true)
        #expect((key.type, key.minimum, key.maximum) == (type, minimum, maximum))
        #expect(key.values == values)
        #expect(key.isRequired && key.defaultValue == .integer(3) && key.description == "What it means.")
        #expect(!Self.key(form).isRequired)
    }
}
