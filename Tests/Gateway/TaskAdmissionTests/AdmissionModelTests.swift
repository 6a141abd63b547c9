import ErrandSupport
import Testing

@Suite("Admission with random events")
struct AdmissionModelTests {
    @Test(
        "no slot is lost, no limit exceeded, no circuit ignored, and no task left behind",
        arguments: TestBuild.seeds(20))
    func randomOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model = AdmissionModel()
        for _ in 0..<2000 { model.step(&random) }
        model.drain()
        #expect(model.begun > 200, "something has happened")
    }
}
