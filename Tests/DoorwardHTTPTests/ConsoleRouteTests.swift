import DoorwardConsole
import DoorwardDomain
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// The console's page and its files.
@Suite struct ConsoleRouteTests {
    private static let names = ConsoleFile.all.map(\.name)
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/DoorwardConsole/Resources")

    private static func text(of name: String) throws -> String {
        try String(contentsOf: sources.appending(path: name), encoding: .utf8)
    }

    @Test("The page is HTML that is not stored, and allows only the gateway's own scripts and styles, and no code from text")
    func page() async throws {
        let reply = try await House().send(.get, "/")
        #expect(reply.status == 200 && reply.headers[.contentType] == "text/html; charset=utf-8")
        #expect(reply.headers[.cacheControl] == "no-store" && reply.headers[.referrerPolicy] == "no-referrer")
        #expect(reply.headers[.xContentTypeOptions] == "nosniff" && reply.headers[.robots] == "noindex")
        let policy = try #require(reply.headers[.contentSecurityPolicy]).split(separator: ";").map { String($0).trimmed }
        #expect(
            Set(policy) == [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
                "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'", "require-trusted-types-for 'script'",
                "trusted-types 'none'",
            ])
    }

    @Test("The page is the same for everybody, and contains no script, style or listener of its own")
    func content() async throws {
        let house = try await House()
        let page = try await house.send(.get, "/").text
        #expect(try await house.send(.get, "/", [.authorization: "Bearer x", .cookie: "a=b"]).text == page)
        #expect(!page.contains(ConsoleFile.folderPlaceholder) && page.contains("\(ConsoleRoutes.folder)/app.js"))
        for forbidden in ["<style", " style=", " onload=", " onclick=", "http-equiv", "<base"] {
            #expect(!page.contains(forbidden))
        }
        // Each script, `api.js` before all others, has an address and nothing between its tags.
        let scripts = page.split(separator: "<script ").dropFirst()
        #expect(scripts.count == 2 && scripts.allSatisfy { $0.contains("src=") && $0.contains("></script>") })
        #expect(page.contains("<noscript>") && page.contains(#"<html lang="en">"#))
        #expect(try await house.send(.post, "/", [:], "{}").status == 405)
        let head = try await house.send(.head, "/")
        #expect(head.status == 200 && head.text.isEmpty)
    }

    @Test("Every address in the page is a file that is served")
    func addresses() async throws {
        let house = try await House()
        let page = try await house.send(.get, "/").text
        let addresses = page.split(separator: "\"").map(String.init).filter { $0.hasPrefix("/") }
        #expect(addresses.count > 5)
        for address in addresses { #expect(try await house.send(.get, address).status == 200, "\(address)") }
    }

    @Test("Every file of the folder is served as it is, for ever, in a folder that its content names", arguments: names)
    func asset(name: String) async throws {
        let (reply, content) = (try await House().send(.get, "\(ConsoleRoutes.folder)/\(name)"), try Self.text(of: name))
        #expect(reply.status == 200 && reply.text == content)
        #expect(reply.headers[.cacheControl] == "public, max-age=31536000, immutable")
        #expect(
            reply.headers[.contentType] == (name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8")
        )
        #expect(reply.headers[.xContentTypeOptions] == "nosniff")
    }

    @Test("The program contains exactly the files of the folder")
    func complete() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path).filter { !$0.hasPrefix(".") }
        #expect(Set(files) == Set(Self.names + [ConsoleFile.page.name]))
        #expect(Set(Self.names).count == Self.names.count)
        #expect(ConsoleRoutes.folder.wholeMatch(of: /\/console\/[0-9a-f]{16}/) != nil)
    }

    @Test(
        "Anything else is 404",
        arguments: [
            "/console", "/console/", "/console/app.js", "/console/0000000000000000/app.js", "\(ConsoleRoutes.folder)",
            "\(ConsoleRoutes.folder)/", "\(ConsoleRoutes.folder)/index.html", "\(ConsoleRoutes.folder)/nothing.js",
            "\(ConsoleRoutes.folder)/../../etc/passwd", "\(ConsoleRoutes.folder)/%2e%2e/app.js", "/doors", "/index.html",
            "/app.js",
        ])
    func unknown(path: String) async throws {
        #expect(try await House().send(.get, path).status == 404)
    }

    @Test("A module imports only modules that are served", arguments: names.filter { $0.hasSuffix(".js") })
    func imports(name: String) throws {
        let source = try Self.text(of: name)
        let imported = source.matches(of: /(?:\} from |import\()'([^']*)'/).map { String($0.output.1) }
        for path in imported { #expect(path.hasPrefix("./") && Self.names.contains(String(path.dropFirst(2))), "\(path)") }
    }

    @Test("No module turns text into HTML or code, or keeps a token outside its memory", arguments: names + ["index.html"])
    func sinks(name: String) throws {
        let source = try Self.text(of: name)
        for forbidden in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "createContextualFragment",
            "parseFromString", "srcdoc=", "sessionStorage", "indexedDB", "document.cookie", "serviceWorker",
        ] {
            #expect(!source.contains(forbidden), "\(forbidden)")
        }
        // The choices of layout and keys are all that the browser keeps.
        for key in source.matches(of: /localStorage\.(?:get|set)Item\(([^,)]*)/).map({ String($0.output.1) }) {
            #expect(["'doorward-doors'", "'doorward-keys'"].contains(key), "\(key)")
        }
    }

    @Test("Every path of the API that a module calls exists", arguments: names.filter { $0.hasSuffix(".js") })
    func routes(name: String) throws {
        let source = try Self.text(of: name)
        for call in source.matches(of: /call\('(GET|POST|PUT|DELETE)', ['`](\/[^`'?]*)/) {
            // An identifier is the only part that is not spelled out, save where the operation or the part of a lock is computed.
            let path = String(call.output.2).replacing(/\$\{encodeURIComponent\([^}]*\}/, with: ":")
            if path.contains("$") { continue }
            let isRoute = RouteTable.routes.contains {
                $0.method.rawValue == call.output.1 && $0.path.replacing(/:[A-Za-z]+/, with: ":") == "/api/v1" + path
            }
            #expect(isRoute, "\(call.output.1) \(path)")
        }
    }
}
