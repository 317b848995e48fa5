import ArgumentParser
import DoorwardAPI
import Testing

@testable import doorward

@Suite("Address arguments") struct AddressPartTests {
    @Test(
        "a value is read as JSON if that keeps its spelling, otherwise as text",
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
        #expect(text.hasSuffix("=\(AddressPart(argument: text)?.text ?? "-")"), "the text is unchanged")
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
        let address = ["--address", "a=5", #"b=["x",1]"#, "--address", "c={\"d\":true}", "e=398172E4"]
        let heads = [
            ["attach", "n", "--property", "p", "--adapter", "mqtt"], ["profile", "decode", "tasmota", "-"],
            ["profile", "encode", "tasmota", "unlock"],
        ]
        let values: [Wire.Value] = [
            .integer(5), .array([.string("x"), .integer(1)]), .object(["d": .bool(true)]), .string("398172E4"),
        ]
        for head in heads {
            let command = try Doorward.parseAsRoot(AddressOptions.expanded(head + address))
            let parts =
                (command as? Attach)?.lock.address ?? (command as? ProfileDecode)?.lock.options.address
                ?? (command as? ProfileEncode)?.lock.options.address
            #expect(parts?.map(\.value) == values)
            for (wrong, message) in [
                (["--address", "a=1", "a=2"], "The address has two values for `a`."),
                (["--address", "novalue"], "The value 'novalue' is invalid for '--address <key=value>': write it as KEY=VALUE"),
            ] {
                let error = try #require(throws: (any Error).self) {
                    _ = try Doorward.parseAsRoot(AddressOptions.expanded(head + wrong))
                }
                #expect(Exit(of: error).message.contains(message), "\(Exit(of: error).message)")
            }
        }
    }

    @Test("an argument without a key or without an equals sign is rejected", arguments: ["", "a", "=", "=5"])
    func none(_ text: String) { #expect(AddressPart(argument: text) == nil) }
}
