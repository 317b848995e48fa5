import ArgumentParser
import DoorwardAdapterKit
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Address arguments") struct AddressPartTests {
    @Test(
        "a text stays text for a field of texts and for an unknown field",
        arguments: [
            "007", "12", "-1", "0.5", "1e3", "1.0", "true", "null", "{a}", #"{"bolt":"out"}"#, #"["a"]"#, #""5""#, "", "b=c",
            "LOCKED",
            "398172E4", "12345678901234567890",
        ], [nil, .text, .word(["LOCKED"])] as [AddressField.Form?])
    func texts(_ text: String, _ form: AddressField.Form?) throws {
        let part = try AddressPart(argument: "a=\(text)")
        #expect(part.key == "a" && part.text == text)
        #expect(part.value(for: form) == .string(text))
    }

    @Test(
        "a field of another type takes JSON; what is not JSON stays text, for the gateway to reject",
        arguments: [
            ("5", .integer(0...9), .integer(5)), ("-1", .integer(0...9), .integer(-1)), ("0.5", .number(0...1), .number(0.5)),
            ("1e3", .number(0...1), .integer(1000)), ("true", .boolean, .bool(true)), ("007", .integer(0...9), .string("007")),
            ("soon", .integer(0...9), .string("soon")), ("True", .boolean, .string("True")), ("[1", .words(["a"]), .string("[1")),
            (#"["LOCK"]"#, .words(["LOCK"]), .array([.string("LOCK")])),
        ] as [(String, AddressField.Form, Doorward.JSONValue)])
    func typed(_ text: String, _ form: AddressField.Form, _ value: Doorward.JSONValue) throws {
        #expect(try AddressPart(argument: "a=\(text)").value(for: form) == value)
    }

    @Test(
        "KEY:=JSON sends JSON to any field",
        arguments: [
            ("5", .integer(5)), ("true", .bool(true)), ("null", .null), (#""5""#, .string("5")),
            (#"[{"topic":"a=b"}]"#, .array([.object(["topic": .string("a=b")])])),
        ] as [(String, Doorward.JSONValue)])
    func forced(_ text: String, _ value: Doorward.JSONValue) throws {
        for form in [nil, .text, .integer(0...9)] as [AddressField.Form?] {
            let part = try AddressPart(argument: "a:=\(text)")
            #expect(part.key == "a" && part.text == text)
            #expect(part.value(for: form) == value)
        }
    }

    @Test(
        "in a request, a value is read as JSON if that keeps its spelling, otherwise as text",
        arguments: [
            ("a=5", .integer(5)), ("a=-1", .integer(-1)), ("a=0.5", .number(0.5)), ("a=true", .bool(true)), ("a=null", .null),
            ("a=LOCKED", .string("LOCKED")), (#"a="5""#, .string("5")), ("a=", .string("")), ("a=b=c", .string("b=c")),
            (#"a=["LOCK",1]"#, .array([.string("LOCK"), .integer(1)])), (#"a={"b":false}"#, .object(["b": .bool(false)])),
            ("a=[1", .string("[1")), ("a=True", .string("True")), ("a=1e3", .string("1e3")),
            ("id=398172E4", .string("398172E4")), ("a=12345678901234567890", .string("12345678901234567890")),
            ("a=1.0", .string("1.0")),
        ] as [(String, Doorward.JSONValue)])
    func requests(_ text: String, _ value: Doorward.JSONValue) {
        #expect(RequestField(argument: text)?.value == value)
        #expect(text.hasPrefix(RequestField(argument: text)?.key ?? "-"))
        #expect(text.hasSuffix("=\(RequestField(argument: text)?.text ?? "-")"), "the text is unchanged")
    }

    @Test(
        "several parts can follow one --address, and an argument can follow them",
        arguments: [
            (["--address", "a=1", "b=2", "unlock"], ["--address", "a=1", "--address", "b=2", "unlock"]),
            (["--address=a=1", "b=2", "--json"], ["--address=a=1", "--address", "b=2", "--json"]),
            (["--address", "a=1", "--payload", "c=3"], ["--address", "a=1", "--payload", "c=3"]),
            (["--address", "a=1", "x", "c=3"], ["--address", "a=1", "x", "c=3"]),
            (["--address", "a=1", "--", "b=2"], ["--address", "a=1", "--", "b=2"]),
            (["a=1", "b=2"], ["a=1", "b=2"]), ([], []),
        ])
    func expanded(_ typed: [String], _ arguments: [String]) { #expect(AddressOptions.expanded(typed) == arguments) }

    @Test("attach, decode and encode parse an address in the same way and report the same errors")
    func alike() throws {
        let address = ["--address", "a=5", #"b:=["x",1]"#, "--address", "c={\"d\":true}", "e:=12"]
        let heads = [
            ["attach", "n", "--property", "p", "--adapter", "mqtt"], ["profile", "decode", "tasmota", "-"],
            ["profile", "encode", "tasmota", "unlock"],
        ]
        let values: [Doorward.JSONValue] = [
            .string("5"), .array([.string("x"), .integer(1)]), .string(#"{"d":true}"#), .integer(12),
        ]
        for head in heads {
            let command = try DoorwardCommand.parseAsRoot(AddressOptions.expanded(head + address))
            let parts =
                (command as? Attach)?.lock.address ?? (command as? ProfileDecode)?.lock.address
                ?? (command as? ProfileEncode)?.lock.address
            #expect(parts?.map { $0.value(for: nil) } == values)
            for (wrong, message) in [
                (["--address", "a=1", "a=2"], "The address has two values for `a`."),
                (["--address", "a=1", "a:=2"], "The address has two values for `a`."),
                (["--address", "x=1", "a:=[1"], "the value of `a` is not JSON. Write a=VALUE to send it as text."),
                (["--address", "novalue"], "The value 'novalue' is invalid for '--address <key=value>': write it as KEY=VALUE"),
            ] {
                let error = try #require(throws: (any Error).self) {
                    _ = try DoorwardCommand.parseAsRoot(AddressOptions.expanded(head + wrong))
                }
                #expect(Exit(of: error).message.contains(message), "\(Exit(of: error).message)")
                #expect(Exit(of: error).code == 2)
            }
        }
    }

    @Test("an argument without a key or without an equals sign is rejected", arguments: ["", "a", "=", "=5", ":=5"])
    func none(_ text: String) {
        #expect(throws: ValidationError.self) { try AddressPart(argument: text) }
        #expect(RequestField(argument: text) == nil)
    }
}
