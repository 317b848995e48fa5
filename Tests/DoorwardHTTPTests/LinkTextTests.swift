import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Links as people and chat programs hand them on, and guesses at them.
@Suite struct LinkTextTests {
    private static let unknown = String(repeating: "A", count: 43)

    @Test("what chat programs leave behind a guest link is cut", arguments: [".", ")", ",", "%20", "_", "**", ").", "&amp"])
    func guestLink(tail: String) async throws {
        let links = try await GuestLinkHouse()
        let reply = try await links.house.send(.get, links.path + tail, [:])
        #expect(reply.status == 302 && reply.headers[.location] == links.path, "\(reply.status)")
        #expect(reply.headers[.cacheControl] == "no-store")
        #expect(try await links.page().status == 200)
    }

    @Test("a clean address is redirected whether or not its token is known, and the page of an unknown one is the same as ever")
    func unknownLink() async throws {
        let house = try await House()
        let reply = try await house.send(.get, "/g/\(Self.unknown).", [:])
        #expect(reply.status == 302 && reply.headers[.location] == "/g/\(Self.unknown)")
        let unknown = try await house.send(.get, "/g/\(Self.unknown)", [:])
        let malformed = try await house.send(.get, "/g/nothing", [:])
        #expect(unknown.status == 404 && malformed.status == 404 && unknown.text == malformed.text)
    }

    @Test("malformed tokens are no guesses: they are neither counted nor recorded")
    func malformed() async throws {
        let house = try await House()
        let before = house.store.log(.gateway).count
        for _ in 0..<50 {
            #expect(try await house.send(.get, "/g/short.", [:]).status == 404)
            let reset = #"{"token":"short","newPassword":"a brand new password"}"#
            #expect(try await house.call(.post, "/auth/reset-password", as: nil, reset).status == 401)
            let invitation = #"{"token":"","firstName":"E","password":"a brand new password"}"#
            #expect(try await house.call(.post, "/auth/accept-invitation", as: nil, invitation).status == 401)
        }
        #expect(house.store.log(.gateway).count == before)
    }

    @Test("what follows the token of a password link or an invitation is cut")
    func others() async throws {
        let house = try await House()
        let reset = try await house.call(.post, "/users/\(house.ids[.tenant])/password-reset", as: .superAdmin)
        let token = try #require(reset.data["reset"]["token"].text)
        let used = try await house.call(
            .post, "/auth/reset-password", as: nil, #"{"token":"\#(token)).","newPassword":"a brand new password"}"#)
        #expect(used.status == 204)
        let issued = try await house.call(
            .post, "/units/\(house.ids.unit)/tenants", as: .owner, #"{"email":"new@example.com","role":"TENANT"}"#)
        let invitation = try #require(issued.data["invitation"]["token"].text)
        let accepted = try await house.call(
            .post, "/auth/accept-invitation", as: nil,
            #"{"token":"\#(invitation), ","firstName":"E","password":"a brand new password"}"#)
        #expect(accepted.status == 201)
    }

    @Test(
        "the answer with a guest link says whether it works on the gateway's machine alone",
        arguments: [
            (nil, "127.0.0.1", true), (nil, "::1", true), (nil, "0.0.0.0", true), (nil, "192.0.2.7", false),
            ("https://doors.example", "127.0.0.1", false), ("http://localhost:8080/", "0.0.0.0", true),
            ("http://[::1]:8080", "0.0.0.0", true), ("http://localhost.example", "127.0.0.1", false),
        ] as [(String?, String, Bool)])
    func reach(url: String?, host: String, isLocal: Bool) async throws {
        var settings = HTTPSettings()
        (settings.publicURL, settings.host) = (url, host)
        let house = try await House(settings: settings)
        let link = try await house.call(.post, "/guest-access/\(house.ids.guestAccess)/link", as: .tenant).data["link"]
        #expect(link.keys == ["url", "expiresAt", "qr", "warning"])
        #expect(link["warning"].text?.contains("gateway.publicUrl") == (isLocal ? true : nil))
    }
}
