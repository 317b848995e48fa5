import ArgumentParser
import Testing

@testable import doorward

@Suite("How commands end") struct ExitTests {
    private func exit(of arguments: [String]) throws -> Exit {
        let error = try #require(throws: (any Error).self) { _ = try Doorward.parseAsRoot(arguments) }
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

    @Test("asking for the version exits 0 and prints it")
    func version() throws {
        let exit = try exit(of: ["--version"])
        #expect(exit == Exit(of: CleanExit.message(Doorward.version)))
        #expect(exit.code == 0)
    }

    @Test("a failure says its sentence and exits with its code")
    func failure() {
        let refused = Exit(of: CommandFailure("the file is full"))
        #expect(refused.message == "doorward: the file is full")
        #expect(refused.code == 1)
        #expect(Exit(of: CommandFailure("no", code: 2)).code == 2)
    }

    @Test("an error that nobody foresaw exits 1")
    func unforeseen() {
        struct Unforeseen: Error {}
        #expect(Exit(of: Unforeseen()).code == 1)
    }

    @Test(
        "what is no e-mail address is refused",
        arguments: ["", "a", "a@", "@b", "a@b@c", "a b@c", "a@b\n", String(repeating: "a", count: 254) + "@b"])
    func addresses(_ address: String) throws {
        #expect(try exit(of: ["admin", "create", "--email=\(address)"]).code == 2)
    }
}
