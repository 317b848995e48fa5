import Glibc
import Testing

@testable import DoorwardKernel

/// The threads of long work that lets commands go first.
@Suite struct BackgroundExecutorTests {
    @Test("all work is done, on one thread with a lower priority than others")
    func work() async {
        let executor = BackgroundExecutor("test")
        let results = await withTaskGroup(of: (Int32, UInt).self) { group in
            for _ in 0..<1000 {
                group.addTask(executorPreference: executor) {
                    await Task.yield()
                    return (getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0), UInt(pthread_self()))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 1000)
        #expect(Set(results.map(\.0)) == [10])
        #expect(Set(results.map(\.1)).count == 1)
    }
}
