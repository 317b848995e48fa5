import Foundation
import Testing

extension EndToEnd {
    /// Runs the scripts in a small project, with a fake `swift` whose behaviour the test defines.
    @Suite("The scripts") struct ScriptTests {
        private let folder: TemporaryFolder
        /// Contains spaces and special characters of regular expressions, which the scripts must handle.
        private let project: String

        init() async throws {
            folder = try TemporaryFolder()
            project = folder.file("a project (1)+[x")
            let files = FileManager.default
            for name in [
                "Sources/A", "Sources/DoorwardStore/Values", "Sources/DoorwardTesting/StoreConformance", "Tests/A", "bin",
            ] {
                try files.createDirectory(atPath: "\(project)/\(name)", withIntermediateDirectories: true)
            }
            try files.copyItem(atPath: Self.scripts, toPath: "\(project)/scripts")
            let contents = [
                "Sources/A/A.swift": "/// Much\n/// is said.\n\nstruct A {}\nstruct B {}\n",
                "Sources/DoorwardStore/S.swift": "struct S {}\n",
                "Sources/DoorwardTesting/StoreConformance/K.swift": "struct K {}\nstruct L {}\n",
                "Tests/A/ATests.swift": "import Testing\n", "README.md": "# A\n",
            ]
            for (name, text) in contents {
                try Data(text.utf8).write(to: URL(filePath: "\(project)/\(name)"))
            }
            // The project has no JavaScript: the linter for it need not be installed for each test.
            try files.createDirectory(atPath: "\(project)/.build/lint-venv/bin", withIntermediateDirectories: true)
            try Self.write("exit 0", to: "\(project)/.build/lint-venv/bin/oxlint")
        }

        private static var scripts: String {
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "scripts").path
        }

        private static func write(_ body: String, to path: String) throws {
            try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        /// Runs a script of the project from another folder.
        private func run(
            _ name: String, _ arguments: [String] = [], swift: String = "exit 0", git: String? = nil
        ) async throws -> (code: Int32, output: String, errors: String) {
            for (tool, body) in [("swift", swift), ("git", git)] {
                guard let body else { continue }
                try Self.write(body, to: "\(project)/bin/\(tool)")
            }
            let path = "\(project)/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
            return try await Program.run(
                "/bin/sh",
                ["-c", #"cd "$0" && name=$1 && shift && exec "../scripts/$name" "$@""#, "\(project)/Sources", name] + arguments,
                environment: ["PATH": path, "CDPATH": "\(project):/", "GIT_CEILING_DIRECTORIES": folder.path], in: folder)
        }

        private func beginRepository() async throws {
            #expect(try await Program.run("/usr/bin/env", ["git", "init", "--quiet", project], in: folder).code == 0)
        }

        @Test("lint finds nothing in a project that follows the rules")
        func sound() async throws {
            try await beginRepository()
            let kept = [
                "Sources/A/A.swift":
                    "let a = try AES.GCM.seal(text, using: key, nonce: nonce)\nlet b = Int.random(in: 0..<9, using: &random)\n",
                "Sources/DoorwardStore/S.swift": "",
                "Sources/DoorwardStore/Values/V.swift": "let a = String(decoding: digits, as: UTF8.self)  // ASCII\n",
            ]
            for (name, text) in kept { try Data(text.utf8).write(to: URL(filePath: "\(project)/\(name)")) }
            let result = try await run("lint")
            #expect(result.code == 0, "\(result.output)\(result.errors)")
            #expect(result.errors.contains("No findings"))
        }

        @Test(
            "lint fails when the build or the formatter fails, independent of their output",
            arguments: [
                (#"[ "$1" != build ] || { echo Killed >&2; exit 137; }"#, "swift build ended with exit code 137"),
                (#"[ "$1" != build ] || { echo "/a/A.swift:1:1: error: no"; exit 1; }"#, "/a/A.swift:1:1: error: no"),
                (#"[ "$1" != format ] || exit 3"#, "the check itself failed"),
                (#"[ "$1" != format ] || { echo "A.swift:1:1: badly set" >&2; exit 1; }"#, "A.swift:1:1: badly set"),
            ])
        func brokenTool(swift: String, finding: String) async throws {
            try await beginRepository()
            let result = try await run("lint", swift: swift)
            #expect(result.code == 1)
            #expect(result.output.contains(finding), "\(result.output)")
            #expect(!result.errors.contains("No findings"))
        }

        @Test("lint fails when git fails, and when there are no files to check")
        func nothingToCheck() async throws {
            try await beginRepository()
            let refused = try await run("lint", git: "echo 'fatal: dubious ownership' >&2; exit 128")
            #expect(refused.code == 1)
            #expect(refused.errors.contains("git does not tell the files"), "\(refused.errors)")
            let empty = try await run("lint", git: "exit 0")
            #expect(empty.code == 1)
            #expect(empty.errors.contains("There are no files to check"), "\(empty.errors)")
        }

        @Test(
            "lint reports each broken rule with file and line",
            arguments: [
                ("Sources/A/A.swift", "let a = try! b()\n", "Sources/A/A.swift:1:let a"),
                ("Sources/A/A.swift", "// TO\u{44}O\n", "A.swift:1:// TO\u{44}O"),
                ("README.md", "\n[there](not/there.md)\n", "README.md:2: not/there.md"),
                ("Sources/A/A.swift", "import GRDB\n", "A.swift:1:import"),
                ("Sources/A/A.swift", "struct TenancyP\u{6C}ace {}\n", "A.swift:1:struct TenancyP\u{6C}ace"),
                ("Sources/A/A.swift", "let l\u{6F}ngestName = 1\n", "A.swift:1:let l\u{6F}ngestName"),
                ("Sources/A/A.swift", "// A.\npackage struct A {}\n", "A.swift:2: package struct A {}"),
                ("Sources/A/A.swift", "/// A.\npackage enum A {\n    case a\n}\n", "A.swift:3: case a"),
                // Each forbidden word has an escaped letter here, so that lint does not find it in this file.
                ("Tests/A/ATests.swift", "try await Task.sl\u{65}ep(for: .seconds(1))\n", "ATests.swift:1:try await Task"),
                ("Tests/A/a.sh", "sl\u{65}ep 1\n", "Tests/A/a.sh:1:sl"),
                ("Tests/A/ATests.swift", "@Test(.dis\u{61}bled(\"for now\"))\n", "ATests.swift:1:@Test"),
                ("Tests/A/ATests.swift", "let a = ContinuousClock.n\u{6F}w\n", "ATests.swift:1:let a"),
                ("Tests/A/ATests.swift", "clock_g\u{65}ttime(CLOCK_REALTIM\u{45}, &time)\n", "ATests.swift:1:clock"),
                ("Sources/A/A.swift", "let a = UUID()\n", "A.swift:1:let a = UUID"),
                ("Sources/A/A.swift", "let a = Int.random(in: 0..<9)\n", "A.swift:1:let a = Int"),
                ("Sources/A/A.swift", "let a = try AES.GCM.seal(text, using: key)\n", "A.swift:1:let a = try AES"),
                (
                    "Sources/DoorwardStore/Values/V.swift", "let a = String(decoding: bytes, as: UTF8.self)\n",
                    "Values/V.swift:1:let a = String"
                ),
            ])
        func findings(file: String, text: String, finding: String) async throws {
            try await beginRepository()
            try Data(text.utf8).write(to: URL(filePath: "\(project)/\(file)"))
            let result = try await run("lint")
            #expect(result.code == 1)
            #expect(result.output.contains(finding), "\(result.output)")
        }

        @Test("the demo prints its options from every folder, and resolves paths against the caller's folder")
        func demo() async throws {
            let help = try await run("demo", ["--help"])
            #expect(help.code == 0)
            #expect(help.output.contains("scripts/demo [--api | --mqtt]"))
            #expect(help.output.contains("--guest-seconds N"))
            #expect(try await run("demo", ["--forever"]).errors == help.output)
            #expect(try await run("demo", ["--folder"]).code == 2)

            let absent = try await run("demo", ["--program", "none"])
            #expect(absent.code == 1)
            #expect(absent.errors.contains("/Sources/none is not a program"), "\(absent.errors)")
            try Data().write(to: URL(filePath: "\(project)/Sources/A/doorward.db"))
            let occupied = try await run("demo", ["--api", "--program", "../bin/swift", "--folder", "A"])
            #expect(occupied.code == 1)
            #expect(occupied.errors.contains("/Sources/A holds a database already"), "\(occupied.errors)")
            #expect(try await run("demo", ["--program", "../bin/swift", "--guest-seconds", "soon"]).code == 1)
            let lockless = try await run("demo", ["--mqtt", "--program", "../bin/swift"])
            #expect(lockless.code == 1)
            #expect(lockless.errors.contains("--mqtt needs doorward-mqtt-locks beside"), "\(lockless.errors)")
        }
    }
}
