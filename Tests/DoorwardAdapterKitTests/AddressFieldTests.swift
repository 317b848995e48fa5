import DoorwardAdapterKit
import DoorwardDomain
import Testing

@Suite struct AddressFieldTests {
    @Test("by default a field is optional and has no default value")
    func plain() {
        let field = AddressField("note", .text, description: "Anything else.")
        #expect(!field.isRequired)
        #expect(field.defaultValue == nil)
    }

    @Test("two fields are equal only if all their properties are equal")
    func equality() {
        let field = AddressField("port", .integer(1...65_535), default: .integer(1883), description: "Where the broker listens.")
        let others = [
            AddressField("ports", .integer(1...65_535), default: .integer(1883), description: "Where the broker listens."),
            AddressField("port", .integer(1...65_536), default: .integer(1883), description: "Where the broker listens."),
            AddressField("port", .number(1...65_535), default: .integer(1883), description: "Where the broker listens."),
            AddressField(
                "port", .integer(1...65_535), isRequired: true, default: .integer(1883), description: "Where the broker listens."),
            AddressField("port", .integer(1...65_535), default: .integer(8883), description: "Where the broker listens."),
            AddressField("port", .integer(1...65_535), default: .integer(1883), description: "Where it listens."),
        ]
        for other in others { #expect(other != field) }
        #expect(Set(others + [field]).count == 7)
    }
}
