import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

/// Tests of TLS and authentication with a real mosquitto.
@Suite(.timeLimit(.minutes(30))) struct SecureConnectionTests {
    private func settings(_ port: Int, host: String = "localhost", _ tls: MQTTSettings.TLS?) -> MQTTSettings {
        var settings = MQTTSettings(host: host, port: port, clientID: UUID().uuidString)
        (settings.tls, settings.initialBackoff, settings.maximumBackoff) = (tls, .milliseconds(20), .milliseconds(50))
        return settings
    }

    /// Connects once, with any fall-back, and returns the description of the failure; `nil` if the connection is established.
    private func failure(_ settings: MQTTSettings) async -> String? {
        let gateway = MQTTTestClient(settings)
        let (event, _) = await gateway.event {
            switch $0 {
            case .connected, .disconnected: true
            case .message, .tooLong, .acknowledged, .subscribed, .subscriptionRefused, .subscriptionGranted: false
            }
        }
        await gateway.connection.stop()
        guard case .disconnected(let failure) = event else { return nil }
        return failure.description
    }

    @Test(
        "trusts a broker whose certificate is signed by the pinned authority, by host name and by address",
        arguments: ["localhost", "127.0.0.1"])
    func trusted(host: String) async throws {
        let certificates = try Certificates.shared.get()
        let broker = try await MosquittoProcess.start(certificates.lines("broker"))
        let gateway = MQTTTestClient(settings(broker.port, host: host, .init(authorityFile: certificates.authority)), ["door/#"])
        await gateway.connected()
        try await roundTrip(gateway, on: "door/state")
        await gateway.connection.stop()
        #expect(gateway.events.last == .disconnected(.stopped))
    }

    @Test("rejects a broker certificate of another authority or for another host name, with a different message for each")
    func untrusted() async throws {
        let certificates = try Certificates.shared.get()
        let broker = try await MosquittoProcess.start(certificates.lines("broker"))
        let other = await failure(settings(broker.port, .init(authorityFile: certificates.otherAuthority)))
        #expect(try #require(other).contains("not signed by a trusted certificate authority"))
        // The system's authorities have not signed the broker's certificate either.
        let system = await failure(settings(broker.port, .init()))
        #expect(try #require(system).contains("not signed by a trusted certificate authority"))
        let elsewhere = try await MosquittoProcess.start(certificates.lines("elsewhere"))
        let name = await failure(settings(elsewhere.port, .init(authorityFile: certificates.authority)))
        #expect(try #require(name).contains("another host name"))
    }

    @Test("a broker that requires a client certificate accepts only one signed by its authority")
    func clientCertificate() async throws {
        let certificates = try Certificates.shared.get()
        let broker = try await MosquittoProcess.start(certificates.lines("broker", wantsCertificate: true))
        let own = MQTTSettings.TLS(authorityFile: certificates.authority, certificate: certificates.pair("gateway"))
        #expect(await failure(settings(broker.port, own)) == nil)
        // The broker may close the connection before its reason is read; then a later attempt reads it.
        for (name, expected) in [(nil, "requires a client certificate"), ("stranger", "broker rejected the handshake")] {
            let tls = MQTTSettings.TLS(authorityFile: certificates.authority, certificate: name.map(certificates.pair))
            let gateway = MQTTTestClient(settings(broker.port, tls))
            await gateway.event {
                if case .disconnected(let failure) = $0 { failure.description.contains(expected) } else { false }
            }
            #expect(!gateway.events.contains { if case .connected = $0 { true } else { false } })
            await gateway.connection.stop()
        }
    }

    @Test(
        "each kind of unusable TLS file has its own message, and an encrypted key causes no passphrase prompt",
        arguments: [
            ("missing.pem", "gateway.pem", "gateway.key", "certificate authority cannot be read"),
            ("gateway.key", "gateway.pem", "gateway.key", "contains no certificate"),
            ("authority.pem", "missing.pem", "gateway.key", "own certificate cannot be read"),
            ("authority.pem", "gateway.key", "gateway.key", "gateway's certificate contains no certificate"),
            ("authority.pem", "gateway.pem", "missing.key", "own private key cannot be read"),
            ("authority.pem", "gateway.pem", "locked.key", "passphrase"),
            ("authority.pem", "gateway.pem", "stranger.key", "do not belong together"),
        ])
    func files(authority: String, certificate: String, key: String, expected: String) async throws {
        let certificates = try Certificates.shared.get()
        let broker = try await MosquittoProcess.start(certificates.lines("broker"))
        let tls = MQTTSettings.TLS(
            authorityFile: certificates.path(authority), certificate: (certificates.path(certificate), certificates.path(key)))
        let failure = try #require(await failure(settings(broker.port, tls)))
        #expect(failure.contains(expected), "\(failure)")
        #expect(!failure.contains("/"), "the message must not contain a file path")
    }

    @Test("the message for TLS to a port without TLS, or plain MQTT to a port with TLS, mentions TLS")
    func tlsMismatch() async throws {
        let certificates = try Certificates.shared.get()
        let (secure, plain) = (try await MosquittoProcess.start(certificates.lines("broker")), try await MosquittoProcess.start())
        let toPlain = try #require(await failure(settings(plain.port, .init(authorityFile: certificates.authority))))
        #expect(toPlain.contains("check that this port uses TLS"), "\(toPlain)")
        let toSecure = try #require(await failure(settings(secure.port, nil)))
        #expect(toSecure.contains("whether it requires TLS"), "\(toSecure)")
        let web = try ScriptedBroker { _ in .send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) }
        defer { web.close() }
        let toWeb = try #require(await failure(settings(web.port, .init(authorityFile: certificates.authority))))
        #expect(toWeb.contains("does not use TLS"), "\(toWeb)")
        // The socket holds the port, so that no other process listens on it.
        let held = try Listener(isListening: false)
        defer { close(held.descriptor) }
        let unreachable = await failure(settings(held.port, .init(authorityFile: certificates.authority)))
        #expect(try #require(unreachable).contains("cannot be reached"))
    }

    @Test("accepts the right password; the message for a wrong one says what to check and does not contain the password")
    func password() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "doorward-passwords-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        process.arguments = ["-b", "-c", file, "gateway", "correct horse"]
        try process.start()
        #expect(await process.exitCode() == 0)
        let broker = try await MosquittoProcess.start(
            (geteuid() == 0 ? ["user root"] : []) + ["allow_anonymous false", "password_file \(file)"])
        var settings = settings(broker.port, nil)
        settings.user = .init(name: "gateway", plainPassword: "correct horse")
        #expect(await failure(settings) == nil)
        settings.user = .init(name: "gateway", plainPassword: "battery staple")
        let failure = try #require(await failure(settings))
        #expect(failure.contains("Check the user name, the password"))
        #expect(!failure.contains("battery") && !String(reflecting: settings).contains("battery"))
    }
}
