import DoorwardTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A gateway under a service manager", .timeLimit(.minutes(30))) struct ReadyTests {
        private func ready(_ port: String, _ more: [String: String] = [:], in folder: TemporaryFolder) async throws
            -> (code: Int32, output: String, errors: String)
        {
            let environment = ["DOORWARD_HTTP_PORT": port].merging(more) { _, new in new }
            return try await Program.run(Program.doorward, ["ready"], environment: environment, in: folder)
        }

        @Test("it says when it accepts connections and when it stops, and `doorward ready` agrees")
        func states() async throws {
            let folder = try TemporaryFolder()
            let manager = try DatagramReceiver(folder.file("notify"))
            let environment = RunningGateway.environment(for: folder).merging(["NOTIFY_SOCKET": folder.file("notify")]) { $1 }
            let program = try Program(Program.doorward, ["serve"], environment: environment, errors: folder.file("serve.log"))
            #expect(await manager.next() == "READY=1")
            let gateway = try await RunningGateway(listening: program, folder: folder)
            let answer = try await ready(gateway.port, in: folder)
            #expect(answer.code == 0 && answer.output == "ready\n" && answer.errors.isEmpty)
            #expect(await gateway.stop() == 0)
            #expect(await manager.next() == "STOPPING=1")
            let away = try await ready(gateway.port, in: folder)
            #expect(away.code == 3 && away.output.isEmpty)
            #expect(away.errors.contains("http://127.0.0.1:\(gateway.port)"), "\(away.errors)")
        }

        @Test("a gateway with a certificate of its own is asked, too")
        func tls() async throws {
            let folder = try TemporaryFolder()
            let made = try await Program.run(
                "/usr/bin/env",
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
                    "-subj", "/CN=doors.example", "-keyout", folder.file("key.pem"), "-out", folder.file("chain.pem"),
                ], in: folder)
            try #require(made.code == 0, "\(made.errors)")
            let files = [
                "DOORWARD_HTTP_TLS_CERTIFICATE": folder.file("chain.pem"),
                "DOORWARD_HTTP_TLS_PRIVATE_KEY": folder.file("key.pem"),
            ]
            let program = try Program(
                Program.doorward, ["serve"], environment: RunningGateway.environment(for: folder).merging(files) { $1 },
                errors: folder.file("serve.log"))
            let line = try #require(await program.nextLine())
            let port = try #require(line.split(separator: ":").last)
            #expect(line.contains("https://"))
            #expect(try await ready(String(port), files, in: folder).output == "ready\n")
            program.signal(SIGTERM)
            #expect(await program.exitCode == 0)
        }
    }
}
