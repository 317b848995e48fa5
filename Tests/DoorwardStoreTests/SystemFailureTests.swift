import DoorwardDomain
import Glibc
import Testing

@testable import DoorwardStore

@Suite("Failures of the system") struct SystemFailureTests {
    @Test("A full device is reported as such, with the next step")
    func fullDevice() async {
        let failure = #expect(throws: DurableFile.Failure.self) { try DurableFile.append([1], to: "/dev/full") }
        #expect(failure?.verb == "written" && failure?.reason == "the disk is full; free space on it")
        let checkpoints = await #expect(throws: CheckpointFile.Failure.self) {
            try await CheckpointFile(path: "/dev/full").append([1])
        }
        #expect(
            checkpoints?.description
                == "/dev/full: the file with the signed checkpoints cannot be written: the disk is full; free space on it")
    }

    @Test("A database that does not fit on the disk is not opened, and the sentence says why")
    func fullDatabase() throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        limits.maximumPages = 4
        #expect { try database.open(limits: limits) } throws: { error in
            "\(error)".hasPrefix("\(database.path): the database could not be opened: the disk is full; free space on it (SQLite")
        }
    }

    @Test("Every failure that a person can mend is in the words of the product")
    func words() {
        for code in [ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ENOSPC, EDQUOT, ENAMETOOLONG, ELOOP, EMFILE, EIO] {
            let words = SystemFailure(code).description
            #expect(words != String(cString: strerror(code)) && words.contains("; "), "\(words)")
        }
    }
}
