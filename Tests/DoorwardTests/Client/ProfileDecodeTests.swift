import ArgumentParser
import Testing

@testable import doorward

@Suite("Profiles on the command line") struct ProfileDecodeTests {
    @Test("a topic that cannot be published to is wrong usage", arguments: ["", "a/#", "a/+/b", "$SYS/x"])
    func topic(_ topic: String) throws {
        let arguments = ["profile", "decode", "tasmota", "--topic", topic, "--payload", "x"]
        let error = try #require(throws: (any Error).self) { _ = try DoorwardCommand.parseAsRoot(arguments) }
        let exit = Exit(of: error)
        #expect(exit.code == 2 && exit.message.contains("--topic must be the topic"))
    }

    @Test("`--payload` requires `--topic`; with a stream (`-`) both are rejected")
    func form() throws {
        for (arguments, expected) in [
            (["--payload", "x"], "Give one message with --topic and --payload"),
            (["-", "--payload", "x"], "leave --topic and --payload out"),
        ] {
            let error = try #require(throws: (any Error).self) {
                _ = try DoorwardCommand.parseAsRoot(["profile", "decode", "tasmota"] + arguments)
            }
            let exit = Exit(of: error)
            #expect(exit.code == 2 && exit.message.contains(expected))
        }
        #expect(try ProfileDecode.parse(["tasmota", "-"]).messages == "-")
    }

    @Test("a payload that begins with a dash is accepted after an equals sign")
    func dash() throws {
        let arguments = ["tasmota", "--topic", "a/b", "--payload=--"]
        #expect(try ProfileDecode.parse(arguments).payload == "--")
    }

    @Test("an unknown profile is reported with a suggestion or the list of profiles", arguments: ["tasmotta", "qqqqqqqqqqqqq"])
    func unknown(_ name: String) throws {
        let command = try ProfileDecode.parse([name, "--topic", "a/b", "--payload", "x"])
        let failure = try #require(throws: CommandFailure.self) { _ = try command.named.read() }
        #expect(failure.code == 2)
        #expect(
            failure.sentence.hasSuffix("`tasmota`? To use a file, give its path, such as ./my-lock.yaml.") == (name == "tasmotta")
        )
        #expect(
            failure.sentence.hasSuffix("zwave-js-ui. To use a file, give its path, such as ./my-lock.yaml.")
                == (name != "tasmotta"))
    }
}
