import Testing

@testable import doorward

@Suite("Resolving names") struct NameMatchTests {
    private let doors = [
        NameMatch(id: "1", name: "Front door", place: "Quay 1"), NameMatch(id: "2", name: "Cellar", place: "Quay 1"),
        NameMatch(id: "3", name: "cellar", place: "Quay 2"), NameMatch(id: "4", name: "1", place: nil),
        NameMatch(id: "5", name: "Café", place: nil),
    ]

    private func one(_ text: String) throws -> NameMatch {
        try NameMatch.one(text, of: doors, noun: "lock", listing: "`doorward locks` lists them.")
    }

    @Test(
        "case, surrounding spaces and Unicode composition of a name are ignored, and an id comes before a name",
        arguments: [("front DOOR", "1"), (" Front door ", "1"), ("cafe\u{301}", "5"), ("1", "1"), ("2", "2"), ("4", "4")])
    func found(_ text: String, _ id: String) throws { #expect(try one(text).id == id) }

    @Test("several matches are listed with place and id, made printable")
    func several() {
        #expect(
            throws: CommandFailure(
                "More than one lock is named `CELLAR`. Use the id of one of them:\n  Cellar  Quay 1  2\n  cellar  Quay 2  3")
        ) { try one("CELLAR") }
    }

    @Test(
        "if there is no match, the error suggests a similar name or says how to list them",
        arguments: [
            ("front  door", "Did you mean `Front door`?"), ("Frnt door", "Did you mean `Front door`?"),
            ("Front", "Did you mean `Front door`?"), ("ellar", "Did you mean `Cellar`?"), ("do", "`doorward locks` lists them."),
            ("", "`doorward locks` lists them."), ("Garage", "`doorward locks` lists them."),
        ])
    func none(_ text: String, _ next: String) {
        #expect(throws: CommandFailure("There is no lock named `\(text)`. \(next)")) { try one(text) }
    }

    @Test(
        "an email address is suggested only if either its local part or its domain is misspelt",
        arguments: [
            ("nobody@doors.example", nil), ("onwer@doors.example", "owner@doors.example"),
            ("owner@dors.example", "owner@doors.example"), ("Owner@elsewhere.example", nil), ("@doors.example", nil),
        ])
    func addresses(_ text: String, _ meant: String?) {
        #expect(NameMatch.suggestion(for: text, among: ["owner@doors.example", "Owner Example"]) == meant)
    }

    @Test("a part that occurs in several names gives no suggestion")
    func ambiguousPart() {
        let names = ["Front door of the house", "Back door of the house"]
        #expect(NameMatch.suggestion(for: "of the house", among: names) == nil)
        #expect(NameMatch.suggestion(for: "front", among: names) == "Front door of the house")
    }

    @Test("a part of a name gives a suggestion even if the same person's email address contains it")
    func personsPart() {
        #expect(NameMatch.suggestion(for: "kim", among: ["Kim Example", "kim@doors.example"]) == "Kim Example")
    }

    @Test("the first six or more characters of an id select the only id that begins with them")
    func beginnings() throws {
        let ids = [
            NameMatch(id: "01990a3c-5b1e", name: "A", place: nil), NameMatch(id: "01990a3c-5b1f", name: "B", place: "Quay 1"),
            NameMatch(id: "0199ffff-0000", name: "01990a", place: nil),
        ]
        func one(_ text: String) throws -> String { try NameMatch.one(text, of: ids, noun: "lock", listing: "L.").name }
        #expect(try one("01990a3c-5b1f") == "B")
        #expect(try one("0199ff") == "01990a" && one("0199FFFF-") == "01990a")
        #expect(try one("01990a") == "01990a", "a name comes before a prefix")
        #expect(throws: CommandFailure.self) { try one("0199f") }
        #expect(
            throws: CommandFailure(
                "The id of more than one lock begins with `01990a3c`. Type more of it:\n  A  01990a3c-5b1e\n  B  Quay 1  01990a3c-5b1f"
            )
        ) { try one("01990a3c") }
    }

    @Test("a person found both by name and by email address is one match")
    func sameTwice() throws {
        let both = [NameMatch(id: "1", name: "a@b", place: nil), NameMatch(id: "1", name: "A@B", place: nil)]
        #expect(try NameMatch.one("a@b", of: both, noun: "person", listing: "").id == "1")
    }

    @Test(
        "ids are UUIDs in either case",
        arguments: [("01990a3c-5b1e-7c3f-8f4e-0c9d2a4b6e71", true), ("Front door", false), ("", false)])
    func ids(_ text: String, _ isID: Bool) {
        #expect(NameResolver.isID(text) == isID)
        #expect(NameResolver.isID(text.uppercased()) == isID)
    }
}
