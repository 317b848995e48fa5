internal import Crypto
internal import DoorwardConsole
internal import DoorwardDomain
internal import HTTPTypes

/// The web console: its page at `/`, and its other files in a folder whose name is the hash of all of them.
///
/// The page is the same for everybody: the console reads what it shows from the API, like any other client.
enum ConsoleRoutes {
    static let all: [Route] = [page] + ConsoleFile.all.map(asset)

    /// The folder of the files. Its name changes with every change of a file, so the files can be cached forever.
    static let folder: String = {
        var hash = SHA256()
        for file in ConsoleFile.all {
            hash.update(data: Array("\(file.name)\0\(file.content.count)\0".utf8))
            hash.update(data: file.content)
        }
        return "/console/" + Array(hash.finalize().prefix(8)).hexadecimal
    }()

    /// Scripts and styles come from the gateway only, and no script can turn text into HTML or code.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
        form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'
        """

    private static let page: Route = {
        // The page is a resource of the program, in ASCII.
        let text = String(decoding: ConsoleFile.page.content, as: UTF8.self)
        let body = Array(text.replacing(ConsoleFile.folderPlaceholder, with: folder).utf8)
        return .page("/") { _ in APIResponse(body: body, type: ConsoleFile.page.type).asPage(policy) }
    }()

    private static func asset(_ file: ConsoleFile) -> Route {
        var route = PageFile(path: "\(folder)/\(file.name)", type: file.type, file.content).route
        route.label = "/console/:file"
        return route
    }
}
