import DoorwardDomain
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// A house whose guest access has a link, and requests for the link's page.
struct GuestLinkHouse: Sendable {
    let house: House
    /// The path of the page: `/g/` and the token.
    let path: String

    /// Creates the link of the house's guest access, as the tenant who granted it.
    init(_ house: House) async throws {
        self.house = house
        let reply = try await house.call(.post, "/guest-access/\(house.ids.guestAccess)/link", as: .tenant)
        let url = try #require(reply.data["link"]["url"].text, "\(reply.text)")
        path = String(url[try #require(url.firstRange(of: "/g/")).lowerBound...])
    }

    init() async throws { try await self.init(House()) }

    /// The token alone.
    var token: String { String(path.dropFirst(3)) }

    func page(_ query: String = "", _ headers: HTTPFields = [:]) async throws -> Reply {
        try await house.send(.get, path + query, headers)
    }

    /// The path of a button.
    func action(_ word: String, on device: DeviceID? = nil) -> String { "\(path)/devices/\(device ?? house.ids.door)/\(word)" }

    /// The nonce of a button of a page; `nil` if the button cannot be used.
    static func nonce(of action: String, in html: String) -> String? {
        guard let form = html.firstRange(of: "action=\"\(action)\""),
            let start = html[form.upperBound...].firstRange(of: "name=\"nonce\" value=\""),
            let end = html[start.upperBound...].firstIndex(of: "\"")
        else { return nil }
        return String(html[start.upperBound..<end])
    }

    /// Loads the page and presses a button.
    func tap(_ word: String, json: Bool = false, headers: HTTPFields = [:]) async throws -> Reply {
        let action = action(word)
        let nonce = try #require(Self.nonce(of: action, in: try await page().text))
        return try await post(action, "nonce=\(nonce)", json: json, headers: headers)
    }

    func post(_ action: String, _ form: String, json: Bool = false, headers: HTTPFields = [:]) async throws -> Reply {
        var fields = headers
        if fields[.contentType] == nil { fields[.contentType] = "application/x-www-form-urlencoded" }
        if json { fields[.accept] = "application/json" }
        return try await house.send(.post, action, fields, form)
    }

    /// The commands that reached the lock.
    var sent: Int { house.adapter.sentCommands.count }
}
