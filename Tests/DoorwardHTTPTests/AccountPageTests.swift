import Crypto
import DoorwardControl
import DoorwardDomain
import FoundationEssentials
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// The pages behind password links, invitations and the link of the set-up.
@Suite struct AccountPageTests {
    static let paths = ["/reset-password", "/invitation", "/setup"]

    private func element(_ name: String, of html: String) throws -> String {
        let start = try #require(html.firstRange(of: "<\(name)>")).upperBound
        let end = try #require(html.firstRange(of: "</\(name)>")).lowerBound
        return String(html[start..<end])
    }

    private func hash(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }

    @Test("a page is HTML that is not stored, sends no referrer, and allows only its own script and style", arguments: paths)
    func headers(path: String) async throws {
        let house = try await House()
        let reply = try await house.send(.get, path)
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType] == "text/html; charset=utf-8")
        #expect(reply.headers[.cacheControl] == "no-store" && reply.headers[.referrerPolicy] == "no-referrer")
        #expect(reply.headers[.xContentTypeOptions] == "nosniff" && reply.headers[.robots] == "noindex")
        let policy = try #require(reply.headers[.contentSecurityPolicy]).split(separator: ";").map { String($0).trimmed }
        #expect(
            Set(policy) == [
                "default-src 'none'", "script-src \(hash(try element("script", of: reply.text)))",
                "style-src \(hash(try element("style", of: reply.text)))", "connect-src 'self'", "form-action 'none'",
                "base-uri 'none'", "frame-ancestors 'none'",
            ])
    }

    @Test("a page is the same for everybody, and a token in its URL is refused", arguments: paths)
    func same(path: String) async throws {
        let house = try await House()
        let reply = try await house.send(.get, path)
        #expect(try await house.send(.get, path, [.authorization: "Bearer x"]).text == reply.text)
        #expect(try await house.send(.get, path + "?token=x").status == 400)
        #expect(try await house.send(.post, path, [:], "{}").status == 405)
        let head = try await house.send(.head, path)
        #expect(head.status == 200 && head.text.isEmpty)
    }

    @Test("a page needs no third party, works on a phone and with the keyboard, and names every field", arguments: paths)
    func content(path: String) async throws {
        let html = try await House().send(.get, path).text
        for forbidden in [
            "http:", "https:", "//cdn", " src=", " href=", "innerHTML", "eval(", " onclick", " style=", "localStorage",
        ] {
            #expect(!html.contains(forbidden), "\(forbidden)")
        }
        #expect(html.contains(#"<html lang="en">"#) && html.contains("width=device-width"))
        #expect(html.contains(#"role="status""#) && html.contains("<noscript>"))
        let inputs = html.split(separator: "<input ").dropFirst().compactMap { part in
            part.split(separator: "\"").dropFirst().first.map(String.init)
        }
        #expect(!inputs.isEmpty && Set(inputs).count == inputs.count)
        for id in inputs { #expect(html.contains(#"<label for="\#(id)">"#), "\(id)") }
        #expect(html.contains(#"autocomplete="new-password""#))
    }

    @Test("the URLs that the API returns lead to these pages")
    func links() async throws {
        let house = try await House()
        let reset = try await house.call(.post, "/users/\(house.ids[.guest])/password-reset", as: .superAdmin)
        let invitation = try await house.call(
            .post, "/units/\(house.ids.unit)/tenants", as: .owner, #"{"email":"e@example.com","role":"TENANT"}"#)
        for (url, path) in [
            (reset.data["reset"]["url"].text, "/reset-password"),
            (invitation.data["invitation"]["url"].text, "/invitation"),
            (try await House.empty().control.setup.offer()?.url(under: "http://127.0.0.1:8080/").reveal(), "/setup"),
        ] {
            let text = try #require(url)
            #expect(text.hasPrefix("http://127.0.0.1:8080\(path)#token="))
            #expect(try await house.send(.get, path).status == 200)
        }
    }

    @Test("the routes that a page calls exist")
    func routes() async throws {
        for path in Self.paths {
            let script = try element("script", of: try await House().send(.get, path).text)
            let called =
                script.matches(of: /call\('([^']+)'/).map { ("POST", String($0.1)) }
                + script.matches(of: /send\(\s*'([A-Z]+)', '([^']+)'/).map { (String($0.1), String($0.2)) }
            #expect(!called.isEmpty)
            for (method, route) in called {
                let isRoute = RouteTable.routes.contains { $0.path == "/api/v1\(route)" && $0.method.rawValue == method }
                #expect(isRoute, "\(method) \(route)")
            }
        }
    }
}
