import Foundation
import Testing

extension EndToEnd {
    @Suite("The command line") struct CommandLineTests {
        @Test("a typo in the configuration stops the start, and the error names key, file and line")
        func configurationTypo() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(
                "store:\n  path: \(folder.file("doorward.db"))\nhttp:\n  prot: 8080\n", to: "doorward.yaml")
            let result = try await Program.run(Program.doorward, ["serve", "--config", file], in: folder)
            #expect(result.code == 1)
            #expect(result.output.isEmpty)
            #expect(
                result.errors
                    == "doorward: \(file), line 4: `http.prot` is not a key of the configuration; did you mean `http.port`?\n")
            #expect(
                !FileManager.default.fileExists(atPath: folder.file("doorward.db")), "no file is created")
        }

        @Test(
            "wrong usage exits 2 and prints the usage",
            arguments: [["serve", "--prot", "1"], ["nonsense"], ["admin", "create"]])
        func usage(_ arguments: [String]) async throws {
            let result = try await Program.run(Program.doorward, arguments, in: TemporaryFolder())
            #expect(result.code == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("Usage: doorward"))
        }

        @Test("standard input that cannot be read is an error, and not the end of a payload, of messages or of a code")
        func unreadableInput() async throws {
            let folder = try TemporaryFolder()
            let lock = "--address id=398172F4"
            for command in [
                "decode nuki-native \(lock) --topic nuki/398172F4/state --payload-file -", "decode nuki-native \(lock) -",
                "encode nuki-native \(lock) unlock --code-file -",
            ] {
                // Reading a folder fails.
                let result = try await Program.run(
                    "/bin/sh", ["-c", "\"$0\" profile \(command) < .", Program.doorward], in: folder)
                #expect(result.code == 1 && result.output.isEmpty, "\(command)")
                #expect(result.errors == "doorward: -: the file cannot be read\n", "\(command)")
            }
        }

        @Test("a start that the system refuses says in one sentence why, and what to do next")
        func refusedStart() async throws {
            let gateway = try await RunningGateway.start(in: TemporaryFolder())
            let port = try #require(URL(string: gateway.address)?.port)
            let folder = try TemporaryFolder()
            func start(_ store: String) async throws -> (code: Int32, output: String, errors: String) {
                try await Program.run(
                    Program.doorward, ["serve", "--store-path", store, "--http-port", "\(port)"], in: folder)
            }
            let taken = try await start(folder.file("doorward.db"))
            #expect(taken.code == 1 && taken.output.isEmpty)
            #expect(
                taken.errors.hasSuffix(
                    "doorward: port \(port) of 127.0.0.1 is taken by another program, which `ss -ltnp 'sport = :\(port)'` shows; "
                        + "stop it, or choose another port, 0 for any free one (http.port; --port for the demo)\n"),
                "\(taken.errors)")
            let missing = try await start(folder.file("none/doorward.db"))
            #expect(missing.code == 1)
            #expect(
                missing.errors.hasSuffix(
                    "its folder \(folder.file("none")) cannot be used: there is no such file or folder; create it, or correct "
                        + "the path.\n"), "\(missing.errors)")
        }

        @Test("an invalid option value exits 2")
        func badOption() async throws {
            let result = try await Program.run(Program.doorward, ["serve", "--http-port", "many"], in: TemporaryFolder())
            #expect(result.code == 2)
            #expect(
                result.errors == "doorward: option --http-port: `http.port` must be a whole number from 0 to 65535, not `many`\n")
        }

        @Test(
            "help and version are printed to standard output",
            arguments: [["--help"], ["serve", "--help"], ["admin", "create", "--help"], ["--version"]])
        func help(_ arguments: [String]) async throws {
            let result = try await Program.run(Program.doorward, arguments, in: TemporaryFolder())
            #expect(result.code == 0)
            #expect(!result.output.isEmpty)
            #expect(result.errors.isEmpty)
        }

        @Test(
            "output that cannot be written is an error; a reader that has enough is none",
            arguments: [
                ("--help", "> /dev/full", 1, "doorward: The output could not be written: the disk is full; free space on it.\n"),
                (
                    "profile list", "> /dev/full", 1,
                    "doorward: The output could not be written: the disk is full; free space on it.\n"
                ),
                ("reference --help", ">&-", 1, "doorward: The output could not be written: "), ("profile list", "| :", 0, ""),
            ])
        func output(_ command: String, _ target: String, _ code: Int32, _ errors: String) async throws {
            let result = try await Program.run(
                "/bin/sh", ["-c", "\(Program.doorward) \(command) \(target)"], in: TemporaryFolder())
            #expect(result.code == code && result.output.isEmpty, "\(result)")
            #expect(errors.isEmpty ? result.errors.isEmpty : result.errors.hasPrefix(errors), "\(result.errors)")
        }

        @Test(
            "a password that breaks a rule is rejected with the rule",
            arguments: [
                ("fourteen chars", "the password is too short: it needs 15 characters at least"),
                (String(repeating: "x", count: 1025), "the password is too long: it may have 1024 bytes at most"),
                ("passwordpassword", "the password is a commonly used one; choose another"),
            ])
        func badPassword(_ password: String, _ sentence: String) async throws {
            let result = try await admin("a@doors.example", password, in: TemporaryFolder())
            #expect(result.code == 1)
            #expect(result.errors == "doorward: \(sentence)\n")
        }

        @Test("a second super admin with the same email address is rejected")
        func sameAddress() async throws {
            let folder = try TemporaryFolder()
            #expect(try await admin("a@doors.example", RunningGateway.password, in: folder).code == 0)
            let second = try await admin("A@Doors.example", RunningGateway.password, in: folder)
            #expect(second.code == 1)
            #expect(second.errors == "doorward: A@Doors.example: a user of this address exists already; nothing was done\n")
            #expect(try await admin("b@doors.example", RunningGateway.password, in: folder).code == 0)
        }

        @Test("a signing key that is missing, readable by others, invalid or another's stops the start")
        func signingKey() async throws {
            let folder = try TemporaryFolder()
            #expect(try await RunningGateway.first(in: folder).stop() == 0)
            let key = folder.file("doorward.db.signing-key")
            let kept = try Data(contentsOf: URL(filePath: key))
            #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)

            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
            #expect(try await refusal(in: folder).hasPrefix("doorward: \(key): others than its owner can read this key"))
            try FileManager.default.removeItem(atPath: key)
            #expect(try await refusal(in: folder).hasPrefix("doorward: \(key): the key that signs access tokens is missing"))
            try Data("not a key\n".utf8).write(to: URL(filePath: key))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            #expect(try await refusal(in: folder).hasPrefix("doorward: \(key): this file contains no key of Doorward"))
            try Data((Data(repeating: 7, count: 32).base64EncodedString() + "\n").utf8).write(to: URL(filePath: key))
            #expect(
                try await refusal(in: folder).hasPrefix("doorward: \(key): this is not the key that the database was used with"))
            try kept.write(to: URL(filePath: key))
            #expect(try await RunningGateway.start(in: folder).stop() == 0)
        }

        private func refusal(in folder: TemporaryFolder) async throws -> String {
            let result = try await Program.run(
                Program.doorward, ["serve"], environment: RunningGateway.environment(for: folder), in: folder)
            #expect(result.code == 1)
            return result.errors
        }

        private func admin(_ email: String, _ password: String, in folder: TemporaryFolder) async throws -> (
            code: Int32, errors: String
        ) {
            let result = try await Program.run(
                Program.doorward, ["admin", "create", "--email", email, "--password-stdin"],
                environment: RunningGateway.environment(for: folder), input: password + "\n", in: folder)
            return (result.code, result.errors)
        }
    }
}
