import ArgumentParser
import Testing

@testable import doorward

@Suite("Exit codes and messages") struct ExitTests {
    private func exit(of arguments: [String]) throws -> Exit {
        let error = try #require(throws: (any Error).self) { _ = try DoorwardCommand.parseAsRoot(arguments) }
        return Exit(of: error)
    }

    @Test(
        "wrong usage exits 2",
        arguments: [["nonsense"], ["serve", "--nonsense"], ["admin", "create"], ["admin", "create", "--email", "x"]])
    func usage(_ arguments: [String]) throws {
        let exit = try exit(of: arguments)
        #expect(exit.code == 2)
        #expect(exit.message.contains("Usage: doorward"))
    }

    @Test(
        "a misspelt command or option is reported with the most similar one",
        arguments: [
            (["unlok", "x"], "There is no command `unlok`. Did you mean `unlock`?", "doorward <subcommand>"),
            (["xyzzy"], "There is no command `xyzzy`.", "doorward <subcommand>"),
            (
                ["profile", "decod", "x"], "There is no command `profile decod`. Did you mean `profile decode`?",
                "doorward profile"
            ),
            (["help", "store", "chek"], "There is no command `store chek`. Did you mean `store check`?", ""),
            (["refrence"], "There is no command `refrence`.", ""),
            (["locks", "--propertty", "x"], "There is no option `--propertty`. Did you mean `--property`?", "doorward locks"),
            (
                ["grant", "x", "y", "--frm=now", "--until", "+1h"], "There is no option `--frm`. Did you mean `--from`?",
                "doorward grant"
            ),
            (["log", "--xyzzyx"], "There is no option `--xyzzyx`.", "doorward log"),
        ])
    func misspelling(_ arguments: [String], _ sentence: String, _ usage: String) throws {
        #expect(Misspelling.sentence(about: arguments) == sentence)
        // The parser responds to `help` with help text, without an error.
        if arguments.first == "help" { return }
        let error = try #require(throws: (any Error).self) { _ = try DoorwardCommand.parseAsRoot(arguments) }
        let exit = Exit(of: error, arguments: arguments)
        #expect(exit.code == 2)
        #expect(exit.message.hasPrefix("Error: \(sentence)\nUsage: \(usage)"), "\(exit.message)")
    }

    @Test(
        "correct spelling is left to the parser",
        arguments: [
            ["unlock", "a", "b"], ["store"], ["help", "unlock"], ["grant", "x", "--from", "now"], ["unlock", "--", "--x", "y"],
            ["log", "--limit", "0"], ["reference", "x"], ["locks", "--help"],
        ])
    func spelt(_ arguments: [String]) { #expect(Misspelling.sentence(about: arguments) == nil) }

    @Test("--version exits 0 and prints the version")
    func version() throws {
        let exit = try exit(of: ["--version"])
        #expect(exit == Exit(of: CleanExit.message(DoorwardCommand.version)))
        #expect(exit.code == 0)
    }

    @Test("a failure prints its sentence and exits with its code")
    func failure() {
        let refused = Exit(of: CommandFailure("the file is full"))
        #expect(refused.message == "doorward: the file is full")
        #expect(refused.code == 1)
        #expect(Exit(of: CommandFailure("no", code: 2)).code == 2)
    }

    @Test("an unexpected error exits 1")
    func unforeseen() {
        struct Unforeseen: Error {}
        #expect(Exit(of: Unforeseen()).code == 1)
    }

    @Test(
        "an invalid email address is rejected",
        arguments: ["", "a", "a@", "@b", "a@b@c", "a b@c", "a@\nb", String(repeating: "a", count: 254) + "@b"])
    func addresses(_ address: String) throws {
        #expect(try exit(of: ["admin", "create", "--email=\(address)"]).code == 2)
    }
}
