import ArgumentParser
import Testing

@testable import doorward

@Suite("The operations of a guest access on the command line") struct GuestOperationsTests {
    @Test(
        "operations are accepted in any case and separated by commas, and duplicates are dropped",
        arguments: [
            ("LOCK,UNLOCK,UNLATCH", ["LOCK", "UNLOCK", "UNLATCH"]), ("unlock", ["UNLOCK"]),
            ("Unlatch, lock", ["UNLATCH", "LOCK"]),
            ("lock,LOCK", ["LOCK"]),
        ])
    func words(_ text: String, _ words: [String]) throws { #expect(try GuestOperations.words(text) == words) }

    @Test(
        "an unknown operation is reported with the allowed ones",
        arguments: [
            ("LOCK,OPEN", "`OPEN` is not an operation. The operations are LOCK, UNLOCK, UNLATCH."),
            ("unlok", "`unlok` is not an operation. Did you mean `UNLOCK`? The operations are LOCK, UNLOCK, UNLATCH."),
            ("VIEW_STATUS", "`VIEW_STATUS` is not an operation. The operations are LOCK, UNLOCK, UNLATCH."),
            ("", "`` is not an operation. The operations are LOCK, UNLOCK, UNLATCH."),
            ("lock,,unlock", "`` is not an operation. The operations are LOCK, UNLOCK, UNLATCH."),
        ])
    func wrong(_ text: String, _ message: String) throws {
        let arguments = ["grant", "g", "door", "--from", "now", "--until", "+1h", "--operations", text]
        let error = try #require(throws: (any Error).self) { _ = try DoorwardCommand.parseAsRoot(arguments) }
        let exit = Exit(of: error, arguments: arguments)
        #expect(exit.code == 2 && exit.message.contains(message), "\(exit.message)")
    }

    @Test("without the option a guest may lock and unlock")
    func standard() throws {
        let command = try DoorwardCommand.parseAsRoot(["grant", "g", "door", "--from", "now", "--until", "+1h"])
        #expect((command as? Grant)?.operations == ["LOCK", "UNLOCK"])
    }
}
