import DoorwardAPI
import Testing

@testable import doorward

@Suite("Parts of an address") struct AddressPartTests {
    @Test(
        "a value is JSON if it reads as such, else a text",
        arguments: [
            ("a=5", .integer(5)), ("a=-1", .integer(-1)), ("a=0.5", .number(0.5)), ("a=true", .bool(true)), ("a=null", .null),
            ("a=LOCKED", .string("LOCKED")), (#"a="5""#, .string("5")), ("a=", .string("")), ("a=b=c", .string("b=c")),
            (#"a=["LOCK",1]"#, .array([.string("LOCK"), .integer(1)])), (#"a={"b":false}"#, .object(["b": .bool(false)])),
            ("a=[1", .string("[1")), ("a=True", .string("True")), ("a=1e3", .string("1e3")),
            ("id=398172E4", .string("398172E4")), ("a=12345678901234567890", .string("12345678901234567890")),
            ("a=1.0", .string("1.0")),
        ] as [(String, Wire.Value)])
    func values(_ text: String, _ value: Wire.Value) {
        #expect(AddressPart(argument: text)?.value == value)
        #expect(text.hasPrefix(AddressPart(argument: text)?.key ?? "-"))
        #expect(text.hasSuffix("=\(AddressPart(argument: text)?.text ?? "-")"), "as it was typed")
    }

    @Test("what has no key or no value is none", arguments: ["", "a", "=", "=5"])
    func none(_ text: String) { #expect(AddressPart(argument: text) == nil) }
}
