import DoorwardClient
import Testing

@Suite("The address of a gateway") struct ServerAddressTests {
    @Test(
        "an address may have a port, a trailing slash and capital letters",
        arguments: [
            ("https://doors.example", "https://doors.example"), ("https://Doors.Example/", "https://doors.example"),
            ("HTTPS://doors.example:8443", "https://doors.example:8443"), ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://localhost:80/", "http://localhost:80"), ("http://127.9.9.9", "http://127.9.9.9"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ])
    func read(_ text: String, _ address: String) throws {
        #expect(try ServerAddress(text).description == address)
    }

    @Test(
        "plain HTTP is accepted only for the loopback interface",
        arguments: [
            "http://doors.example", "http://10.0.0.1:8080", "http://127.0.0.1.example.org", "http://127.1", "http://0.0.0.0",
            "http://localhost.example", "http://[::2]",
        ])
    func plain(_ text: String) throws {
        let error = #expect(throws: ClientError.self) { try ServerAddress(text) }
        guard case .badAddress(text, let why) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(why.contains("https://"))
    }

    @Test(
        "an address with anything but scheme, host and port is rejected",
        arguments: [
            "", "doors.example", "ftp://doors.example", "https://", "https://doors.example/api", "https://doors.example?x=1",
            "https://doors.example#x", "https://me@doors.example", "https://me:secret@doors.example", "https://a b",
        ])
    func rest(_ text: String) {
        #expect(throws: ClientError.self) { try ServerAddress(text) }
    }
}
