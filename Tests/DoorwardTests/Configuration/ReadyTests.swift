import DoorwardHTTP
import Testing

@testable import doorward

@Suite("doorward ready: the address") struct ReadyTests {
    @Test(
        "an address for all networks is asked on this machine, and any other as it is",
        arguments: [
            ("127.0.0.1", 8080, false, "http://127.0.0.1:8080"), ("0.0.0.0", 80, false, "http://127.0.0.1:80"),
            ("::", 8443, true, "https://[::1]:8443"), ("::1", 1, false, "http://[::1]:1"),
            ("192.0.2.7", 8443, true, "https://192.0.2.7:8443"), ("localhost", 8080, false, "http://localhost:8080"),
        ])
    func address(_ host: String, _ port: Int, _ hasTLS: Bool, _ expected: String) throws {
        var configuration = GatewayConfiguration()
        (configuration.http.host, configuration.http.port) = (host, port)
        if hasTLS { configuration.http.tls = .init(certificatePath: "chain.pem", privateKeyPath: "key.pem") }
        #expect(try Ready.address(configuration) == expected)
    }

    @Test("a port that the gateway picks cannot be asked")
    func picked() {
        var configuration = GatewayConfiguration()
        configuration.http.port = 0
        let failure = #expect(throws: CommandFailure.self) { try Ready.address(configuration) }
        #expect(failure?.code == 1 && failure?.sentence.contains("`http.port` is 0") == true)
    }
}
