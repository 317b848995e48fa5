import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct StoreRouteTests {
    /// Runs `body` with a folder, and deletes the folder afterwards.
    private func inFolder(_ body: (_ path: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.resolvingSymlinksInPath().path(percentEncoded: false))
    }

    private func backUp(_ house: House, _ body: String?, as person: House.Person? = .superAdmin) async throws -> Reply {
        try await house.call(.post, "/store/backup", as: person, body)
    }

    @Test("A backup responds with its file, size, time and logs, is recorded in the gateway's log, and overwrites no file")
    func backup() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        try await inFolder { folder in
            let file = "\(folder)/monday.db"
            let reply = try await backUp(house, #"{"file":"\#(file)"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            let backup = reply.data["backup"]
            #expect(backup.keys == ["file", "bytes", "at", "logs"])
            #expect(backup["file"].text == file)
            let portfolio = backup["logs"].elements.first { $0["id"].text == house.ids.portfolio.description }
            #expect(portfolio?["size"].number == 2)
            let record = try #require(house.store.log(.gateway).last?.body)
            #expect(record.kind == .gateway && record.event == .export)
            #expect(record.actor.userID == house.ids[.superAdmin])
            #expect(record.details["file"] == .string(file) && record.details["what"] == .string("backup"))
            let own = backup["logs"].elements.first { $0["id"].text == "gateway" }
            #expect(own?["size"].number == Int64(house.store.log(.gateway).count), "the copy contains its own record")
            let again = try await backUp(house, #"{"file":"\#(file)"}"#)
            #expect(again.status == 409)
            #expect(again.code == "already_exists")
            #expect(house.store.log(.gateway).count == Int(own?["size"].number ?? 0), "a refused backup is not recorded")
        }
    }

    @Test(
        "An error in the file name is reported, and nothing is recorded",
        arguments: [
            (#"{"file":"monday.db"}"#, 400, "file: not_absolute"), (#"{"file":"/"}"#, 400, "file: no_file_name"),
            (#"{"file":"/no such folder/a.db"}"#, 400, "file: folder_missing"),
            ("{}", 400, "file: required"), (#"{"file":7}"#, 400, "file: wrong_type"),
            (#"{"file":"/backups/a","to":"b"}"#, 400, "to: unknown_key"), (#"{"file":""}"#, 400, "file: not_absolute"),
        ])
    func mistakes(_ body: String, _ status: Int, _ problem: String) async throws {
        let house = try await House()
        let before = house.store.log(.gateway).count
        let reply = try await backUp(house, body)
        #expect(reply.status == status)
        #expect(reply.problems == [problem])
        #expect(house.store.log(.gateway).count == before)
    }

    @Test("A backup that does not fit on its disk is answered with 503 and the next step, leaves no file, and can be repeated")
    func fullDisk() async throws {
        let house = try await House()
        try await inFolder { folder in
            let body = #"{"file":"\#(folder)/monday.db"}"#
            house.store.failNextBackup(.refused(.diskFull))
            let reply = try await backUp(house, body)
            #expect(reply.status == 503 && reply.code == "unavailable", "\(reply.text)")
            #expect(
                reply.json["message"].text
                    == "The backup does not fit on its disk, and the copy was deleted; free space there, or choose a folder on another disk."
            )
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
            #expect(try await backUp(house, body).status == 200)
        }
    }

    @Test("Only a super admin may create a backup", arguments: [House.Person.owner, .auditor, .tenant, .nobody])
    func rights(_ person: House.Person) async throws {
        let house = try await House()
        #expect(try await backUp(house, #"{"file":"/backups/a.db"}"#, as: person).code == "role_insufficient")
        #expect(try await backUp(house, #"{"file":"/backups/a.db"}"#, as: nil).status == 401)
    }
}
