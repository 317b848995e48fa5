import Foundation
import Testing

extension EndToEnd {
    @Suite("A gateway with a certificate of a private CA", .timeLimit(.minutes(30))) struct TrustedCertificateTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func makeCertificate(_ name: String, _ options: String...) async throws {
            let result = try await Program.run(
                "/usr/bin/env",
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
                    "-subj", "/CN=\(name)", "-keyout", folder.file("\(name).key"), "-out", folder.file("\(name).pem"),
                ] + options, in: folder)
            try #require(result.code == 0, "\(result.errors)")
        }

        /// Starts the program. Its first line of output contains the address.
        private func serve() async throws -> (program: Program, address: String) {
            try await makeCertificate("authority")
            try await makeCertificate("other")
            try await makeCertificate(
                "gateway", "-CA", folder.file("authority.pem"), "-CAkey", folder.file("authority.key"), "-addext",
                "subjectAltName=IP:127.0.0.1")
            let created = try await Program.run(
                Program.doorward, ["admin", "create", "--email", RunningGateway.adminEmail, "--password-stdin"],
                environment: RunningGateway.environment(for: folder), input: RunningGateway.password + "\n", in: folder)
            try #require(created.code == 0, "\(created.errors)")
            let environment = RunningGateway.environment(for: folder).merging([
                "DOORWARD_HTTP_TLS_CERTIFICATE": folder.file("gateway.pem"),
                "DOORWARD_HTTP_TLS_PRIVATE_KEY": folder.file("gateway.key"),
            ]) { _, new in new }
            let program = try Program(Program.doorward, ["serve"], environment: environment, errors: folder.file("serve.log"))
            let line = try #require(await program.nextLine())
            return (program, String(try #require(line.wholeMatch(of: #/listening on (https://127\.0\.0\.1:[0-9]+)/#)).1))
        }

        private func run(
            _ arguments: [String], input: String = "", environment: [String: String] = [:]
        ) async throws -> (code: Int32, output: String, errors: String) {
            try await Program.run(
                Program.doorward, arguments,
                environment: ["XDG_CONFIG_HOME": folder.file("config")].merging(environment) { _, new in new }, input: input,
                in: folder)
        }

        @Test("the certificate is trusted only with its CA file, and a sign-in stores the file's path")
        func trusted() async throws {
            let (gateway, address) = try await serve()
            let login = ["login", "--server", address, "--email", RunningGateway.adminEmail, "--password-stdin"]
            let password = RunningGateway.password + "\n"
            for options in [[], ["--ca-file", folder.file("other.pem")]] {
                let refused = try await run(login + options, input: password)
                #expect(refused.code == 3)
                #expect(
                    refused.errors
                        == """
                        doorward: no connection to \(address): certificate not trusted
                          if it is the gateway's own, give the PEM file of its certificate authority: --ca-file FILE

                        """)
            }
            let signedIn = try await run(login + ["--ca-file", folder.file("authority.pem")], input: password)
            #expect(signedIn.code == 0, "\(signedIn.errors)")
            #expect(try await run(["whoami"]).output.contains("server\t\(address)\n"), "the sign-in has stored the path")
            #expect(try await run(["locks", "--ca-file", folder.file("other.pem")]).code == 3, "an option overrides it")
            #expect(
                try await run(["locks"], environment: ["DOORWARD_CA_FILE": folder.file("other.pem")]).code == 3,
                "so does the variable")
            #expect(try await run(login, input: password).code == 0, "a new sign-in keeps the CA file of the earlier one")
            #expect(try await run(["logout"]).code == 0)
            let named = try await run(
                login + ["--as", "work"], input: password, environment: ["DOORWARD_CA_FILE": folder.file("authority.pem")])
            #expect(named.code == 0, "\(named.errors)")
            #expect(try await run(["api", "GET", "users/me", "--as", "work"]).code == 0)
            gateway.signal(SIGTERM)
            #expect(await gateway.exitCode == 0)
        }

        @Test("a key that does not match the certificate stops the start with the same error as `config check`")
        func mismatch() async throws {
            try await makeCertificate("one")
            try await makeCertificate("two")
            let config = try folder.write(
                """
                store: { path: \(folder.file("doorward.db")) }
                http:
                  tls: { certificate: \(folder.file("one.pem")), privateKey: \(folder.file("two.key")) }

                """, to: "doorward.yaml")
            let check = try await run(["config", "check", "--config", config])
            #expect(check.code == 1)
            #expect(check.output.isEmpty)
            #expect(
                check.errors
                    == "doorward: \(config), line 3: `http.tls.privateKey`: the key `\(folder.file("two.key"))` does not belong to the "
                    + "certificate `\(folder.file("one.pem"))`\n")
            let serve = try await run(["serve", "--config", config])
            #expect(serve.code == 1)
            // A warning about a low limit on open files may come first.
            #expect(serve.errors.hasSuffix(check.errors), "\(serve.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("doorward.db")))
        }
    }
}
