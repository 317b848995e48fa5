import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("The preview of a deletion") struct DeletionViewTests {
    private let style = OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"])

    private func removed(_ type: String, _ id: String, _ name: String) -> Doorward.RemovalPreview.Removed {
        .init(type: type, id: id, name: name)
    }

    @Test("each object is listed, rights that end are counted by kind, and locks that lose their place apart")
    func whole() {
        let preview = Doorward.RemovalPreview(
            removed: [removed("Unit", "u", "1A\u{1B}"), removed("Property", "p", "Quay 1")],
            ended: [
                .init(type: "UserRoleAssociation", id: "a"), .init(type: "UserRoleAssociation", id: "b"),
                .init(type: "GuestAccess", id: "g"), .init(type: "Session", id: "s"), .init(type: "LockDevice", id: "d"),
                .init(type: "LockDevice", id: "e"),
            ])
        #expect(
            preview.lines(style) == [
                "This would go:", "  unit      1A\u{241B}     u", "  property  Quay 1  p",
                "This would end: 1 guest access, 2 roles, 1 session", "This would leave without a place: 2 locks",
            ])
    }

    @Test("a long list is cut, with the number of the rest")
    func long() {
        let lines = Doorward.RemovalPreview(removed: (0..<25).map { removed("Unit", "\($0)", "1A") }, ended: []).lines(style)
        #expect(lines.count == 22 && lines.last == "  … and 5 more")
    }

    @Test("if nothing else goes or ends, nothing is printed about it")
    func nothing() { #expect(Doorward.RemovalPreview(removed: [], ended: []).lines(style) == []) }

    @Test(
        "an object that contains others is reported with their numbers and the option that includes them",
        arguments: [
            (["units": 2, "devices": 1], "1 lock, 2 units"), (["properties": 1, "units": 0], "1 property"), ([:], "others"),
        ])
    func dependents(_ counts: [String: Int], _ words: String) {
        #expect(
            Doorward.RemovalPreview.dependents(counts, of: "Quay 1\u{1B}")
                == "Quay 1\u{241B} contains \(words); nothing was deleted.\n  to delete it with what it contains: --cascade")
    }

    @Test(
        "nouns are counted in the singular and the plural",
        arguments: [
            (1, "lock", "1 lock"), (2, "property", "2 properties"), (0, "guest access", "0 guest accesses"),
            (3, "role", "3 roles"),
        ])
    func counts(_ number: Int, _ noun: String, _ text: String) { #expect(DisplayText.count(number, noun) == text) }
}
