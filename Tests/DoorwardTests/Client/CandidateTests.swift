import Testing

@testable import doorward

@Suite("What a name means") struct CandidateTests {
    private let doors = [
        Candidate(id: "1", name: "Front door", place: "Quay 1"), Candidate(id: "2", name: "Cellar", place: "Quay 1"),
        Candidate(id: "3", name: "cellar", place: "Quay 2"), Candidate(id: "4", name: "1", place: nil),
        Candidate(id: "5", name: "Café", place: nil),
    ]

    private func one(_ text: String) throws -> Candidate {
        try Candidate.one(text, of: doors, noun: "lock", listing: "`doorward locks` lists them")
    }

    @Test(
        "a name in any case, with spaces around it, composed either way; an id before a name",
        arguments: [("front DOOR", "1"), (" Front door ", "1"), ("cafe\u{301}", "5"), ("1", "1"), ("2", "2"), ("4", "4")])
    func found(_ text: String, _ id: String) throws { #expect(try one(text).id == id) }

    @Test("several are listed with place and id, made printable")
    func several() {
        #expect(
            throws: CommandFailure(
                "`CELLAR` is the name of several; name one by its id:\n  Cellar  Quay 1  2\n  cellar  Quay 2  3")
        ) { try one("CELLAR") }
    }

    @Test("none says how to list them", arguments: ["door", "Front", "", "front  door"])
    func none(_ text: String) {
        #expect(throws: CommandFailure("there is no lock `\(text)`; `doorward locks` lists them")) { try one(text) }
    }

    @Test("somebody who is found by name and address alike is one")
    func sameTwice() throws {
        let both = [Candidate(id: "1", name: "a@b", place: nil), Candidate(id: "1", name: "A@B", place: nil)]
        #expect(try Candidate.one("a@b", of: both, noun: "person", listing: "").id == "1")
    }

    @Test(
        "ids are UUIDs in either case",
        arguments: [("01990a3c-5b1e-7c3f-8f4e-0c9d2a4b6e71", true), ("Front door", false), ("", false)])
    func ids(_ text: String, _ isID: Bool) {
        #expect(Finder.isID(text) == isID)
        #expect(Finder.isID(text.uppercased()) == isID)
    }
}
