import Glibc
import NIOCore
import Testing

@testable import DoorwardHTTP

@Suite struct ListenFailureTests {
    @Test(
        "A refused address is reported with the host or port, and the next step",
        arguments: [
            (EADDRINUSE, "port 80 of 192.0.2.1 is taken by another program"), (EACCES, "this user may not listen on port 80"),
            (EADDRNOTAVAIL, "this machine does not have the address 192.0.2.1"),
            (EAFNOSUPPORT, "this machine does not support addresses such as 192.0.2.1"),
        ])
    func sentences(_ code: Int32, _ beginning: String) {
        let failure = ListenFailure(IOError(errnoCode: code, reason: "bind"), host: "192.0.2.1", port: 80)
        #expect(failure?.description.hasPrefix(beginning) == true && failure?.description.contains("; ") == true)
    }

    @Test("Another error keeps its own words")
    func others() {
        #expect(ListenFailure(IOError(errnoCode: EIO, reason: "read"), host: "::1", port: 80) == nil)
        #expect(ListenFailure(CancellationError(), host: "::1", port: 80) == nil)
    }
}
