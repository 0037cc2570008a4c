import Catalogue
import Testing

@Suite("Hexadecimal digits") struct HexadecimalTests {
    @Test func hexadecimalIsWrittenInLowerCaseAndReadInEitherCase() {
        let bytes: [UInt8] = [0x00, 0x0f, 0xff, 0x10, 0xa0, 0xb1]
        #expect(bytes.hexadecimal == "000fff10a0b1")
        #expect([UInt8](hexadecimal: "000fff10a0b1") == bytes)
        #expect([UInt8](hexadecimal: "000FFF10A0B1") == bytes)
        #expect([UInt8](hexadecimal: "") == [] && [UInt8]().hexadecimal == "")
    }

    @Test(arguments: ["0", "000", "0g", "0é", " 0", "0x", "+1"])
    func invalidHexadecimalIsRejected(_ text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
