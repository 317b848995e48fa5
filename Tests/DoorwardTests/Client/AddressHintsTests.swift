import DoorwardAdapterKit
import Testing

@testable import doorward

@Suite("Hints for a wrong address") struct AddressHintsTests {
    @Test("fields sent by the gateway take precedence over the built-in ones")
    func live() {
        let hints = AddressHints(of: "mqtt", [("broker", ["home", "away"]), ("profile", ["acme"])])
        #expect(
            hints.option(key: "broker", value: "hom")
                == FieldOption("--address broker", value: "hom", candidates: ["home", "away"]))
        #expect(
            hints.option("--profile", key: "profile", value: "acne")
                == FieldOption("--profile", value: "acne", candidates: ["acme"]))
    }

    @Test("without a response of the gateway, the fields of the shipped adapter are used", arguments: ShippedAdapters.all.indices)
    func shipped(_ index: Int) {
        let adapter = ShippedAdapters.all[index]
        let hints = AddressHints(of: adapter.guide.kind, nil)
        for field in adapter.addressFields {
            let expected: [String] = if case .word(let words) = field.form { words } else { [] }
            if case .words = field.form { continue }
            #expect(
                hints.option(key: field.name, value: "x")
                    == FieldOption("--address \(field.name)", value: "x", candidates: expected))
        }
        let names = adapter.hasFurtherAddressFields ? [] : adapter.addressFields.map(\.name)
        #expect(hints.option(key: "nothing", value: "x").candidates == names, "the fields of a profile are unknown")
    }

    @Test("for an adapter that only the gateway has, nothing is suggested; a key that was not typed has no value")
    func other() {
        #expect(AddressHints(of: "serial", nil).option(key: "lock", value: "0") == FieldOption("--address lock", value: "0"))
        let hints = AddressHints(of: "simulator", nil)
        #expect(hints.option(key: "nothing", value: nil) == FieldOption("--address nothing"))
        #expect(hints.option("--profile", key: "profile", value: "x") == FieldOption("--profile", value: "x"))
    }
}
