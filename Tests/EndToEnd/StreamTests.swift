import Foundation
import Testing

extension EndToEnd {
    @Suite("The live stream of the built program") struct StreamTests {
        private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "examples").path

        @Test("the example in Python shows states, changes, and the locks again after a restart of the gateway")
        func python() async throws { try await example("python3", "stream.py") }

        @Test(
            "the example in JavaScript shows the same",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/node")))
        func javaScript() async throws { try await example("node", "stream.mjs") }

        private func example(_ interpreter: String, _ script: String) async throws {
            let folder = try TemporaryFolder()
            let gateway = try await RunningGateway.first(in: folder)
            let house = try await House.build(on: gateway)
            let lock = try await house.lock("Attic")
            let client = try Program(
                "/usr/bin/env", [interpreter, "\(Self.examples)/\(script)", gateway.address],
                environment: ["DOORWARD_TOKEN": try #require(house.owner.token)],
                errors: folder.file("client.log"))
            try await expect("Attic LOCKED", from: client)
            #expect(try await house.owner.post("/devices/\(lock)/unlock", "{}").status == 200)
            try await expect("Attic UNLOCKED", from: client)
            // An open stream does not delay the end of the gateway.
            #expect(await gateway.stop() == 0)
            let again = try await gateway.startAgain()
            #expect(try await house.owner.at(again).post("/devices/\(lock)/lock", "{}").status == 200)
            try await expect("Attic LOCKED", from: client)
            client.signal(SIGKILL)
            _ = await client.exitCode
            #expect(await again.stop() == 0)
        }

        /// Reads lines up to an expected one.
        private func expect(_ line: String, from client: Program) async throws {
            while let found = await client.nextLine() { if found == line { return } }
            Issue.record("the example ended before it printed \(line)")
        }
    }
}
