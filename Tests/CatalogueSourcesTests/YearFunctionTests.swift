import CatalogueSources
import Testing

/// `year`, with dates as museums write them.
@Suite struct YearFunctionTests {
    private static let cases: [(String, Int64?)] = [
        // Years
        ("1959", 1959), ("1815-1819", 1815), ("c. 1830–1832", 1830), ("ca. 1520", 1520), ("c.1760", 1760),
        ("ca.1460", 1460),
        ("(1950)", 1950), ("?1829", 1829), (" c, 2002", 2002), ("1886—1887", 1886), ("1929 - 1930", 1929),
        ("1966-80", 1966),
        ("1890/91", 1890), ("c.1898–9", 1898), ("1858/2", 1858), ("1989/2005", 1989),
        ("c. 1810-1823/ 1864", 1810),
        ("1867-1868 (patented)", 1867), ("1940s?", 1940), ("607", 607), ("618-906", 618),
        ("ca. 600- 900", 600),
        ("1736-ca. 1750", 1736), ("1500-1700(?)", 1500), ("1963 and 1966", 1963), ("0966", 966),
        // Before and after
        ("before 1500", 1500), ("Before 1946", 1946), ("after 1898", 1898), ("1916 or later", 1916),
        ("after 1945, before 1957", 1945), ("c. 1650/after 1661", 1650), ("18th century, after 1713", 1701),
        // Days
        ("March 1961", 1961), ("July 28, 1960", 1960), ("June 10-12, 1954", 1954), ("3/24/1929", 1929),
        ("8/1959", 1959),
        ("1929-03-24", 1929), ("0617-12-29", 617), ("-0202-01-05", -202), ("2026-01-02T03:04:05Z", 2026),
        ("24.3.1929", 1929),
        ("(November 24-26) 1969", 1969), ("Autumn 1916", 1916), ("November - December 1969", 1969),
        // Decades
        ("1830s", 1830), ("c. 1930s", 1930), ("ca. 1770's", 1770), ("early 1620s", 1620), ("mid-1960s", 1960),
        ("1870-1880s", 1870), ("ca. 1850s-1860s", 1850),
        // Centuries
        ("19th century", 1801), ("19th Century (?)", 1801), ("1st century", 1), ("18th-19th century", 1701),
        ("4th-5th century", 301), ("18th - 19th century", 1701), ("5th -6th century", 401),
        ("13th and 14th centuries", 1201),
        ("19. Jahrhundert", 1801), ("late19th century", 1876), ("late 19th century", 1876),
        ("mid 19th century", 1826),
        ("mid-20th century", 1926), ("early 19th century", 1801), ("early- to mid-18th century", 1701),
        ("c. mid- to late-19th century", 1826), ("late 18th-early 19th century", 1776),
        ("late 16th- early 17th century", 1576),
        ("late 13th or early 14th century", 1276), ("2nd half 10th century", 951),
        ("second half 9th century", 851),
        ("c. second half of the 19th century-early 20th century", 1851),
        ("c. last half of the 18th century", 1751),
        ("first half of the 16th century", 1501), ("3rd quarter 13th century", 1251),
        ("third quarter 18th century", 1751),
        ("1st quarter 15th century", 1401), ("19th century in the style of 16th century", 1801),
        ("2nd millennium", 1001),
        // Before our era
        ("500 BCE", -500), ("ca. 480 B.C.", -480), ("480 v. Chr.", -480), ("664-332 BC", -664),
        ("1479-1185 BC", -1479),
        ("304-30 BC", -304), ("100 BC-AD 200", -100), ("332 BC-AD 50", -332), ("50 BC-AD 50", -50),
        ("ca. 305-30 BCE", -305),
        ("c. 2500 BCE-2000 BCE", -2500), ("1203-1200/1199 BC", -1203), ("ca. 1388-1351/50 BC", -1388),
        ("7th century BC", -700),
        ("7th-6th century BC", -700), ("1st century BC", -100), ("4th-1st century BCE", -400),
        ("10th-8th century BC", -1000),
        ("late 5th century BC", -425), ("late 3rd-2nd century BC", -225), ("1st half 4th century BC", -400),
        ("1st century BC-AD 1st century", -100), ("late 1st century BC-AD 2nd century", -25),
        ("mid 6th century BC", -575),
        ("early 2nd millennium BC", -2000), ("mid 4th millennium BC", -3750), ("c. 10,000 BC", -10_000),
        ("2nd quarter 4th century BC", -375), ("ca. 1340 BC or early 20th century", -1340),
        ("332-330 B.C.E.", -332),
        // Our era
        ("AD 14-68", 14), ("AD 1st century", 1), ("ca. AD 170-180", 170), ("1-199 CE", 1),
        ("A.D. 1400", 1400),
        ("8th-9th century C.E.", 701), ("ca. 20-60", 20), ("AD 3rd-4th century (?)", 201),
        ("1st century BC (?)", -100),
        // The Islamic calendar
        ("723 AH/AD 1323", 1323), ("1190 AH/AD 1776", 1776), ("1098 AH/AD1689", 1689),
        ("885-886 AH/AD 1481", 1481),
        ("1189 AH /AD 1783-1784", 1783), ("1246-1247 (AH 644)", 1246), ("5 Shawwal 976 AH/AD 1569", 1569),
        ("11th century AH/AD 17th century", 1601), ("1008-1034 AH/AD 1600-1625", 1600),
        ("Sha'ban 918 AH/AD 1512", 1512),
        // Several things, periods and numbers that are no year
        ("Qianlong period (1736-1795)", 1736), ("Edo period (1603-1867), 19th century", 1801),
        ("Tang Dynasty, 618-907", 618),
        ("New Kingdom, 18th Dynasty, c. 1570-1320 BCE", -1570),
        ("Kushan Period (50-320 CE), 2nd-3rd century", 101),
        ("Shang Period (c. 1600-1045 BCE), c. 1100 BCE", -1100), ("designed 1944, manufactured 1999", 1944),
        ("1975, printed1985", 1975), ("1957 (designed) 1960-1971 (manufactured)", 1957),
        ("Original: 1682; Cast: 1700", 1682),
        ("c. 1948, Design Patent 150,644, 1948", 1948), ("Design Patent 150,644, 1948", 1948),
        ("Print executed 1919-1920", 1919),
        ("Western Han Dynasty, 202 BCE-8 CE", -202), ("Scarab: 7th-5th century BC; Hoop: Modern", -700),
        // None
        ("", nil), ("n.d.", nil), ("no date", nil), ("late Ming", nil), ("18th Dynasty", nil),
        ("Year 5", nil), ("123456", nil),
        ("9999", nil), ("0", nil), ("31st century", nil), ("-", nil), ("(", nil), ("12 and 13", nil),
        ("Modern", nil),
        ("99999999999999999999999999", nil),
    ]

    @Test func theFirstYearOfADateIsRead() throws {
        let sandbox = try SourceSandbox(language: nil), query = SourceQuery("SELECT year(:body)")
        for (text, year) in Self.cases {
            let found = try sandbox.value(query, SourceValues(body: text))
            #expect(found == year.map(SQLValue.integer) ?? .null, "\(text)")
        }
    }

    @Test func aNumberIsAYearToo() throws {
        let sandbox = try SourceSandbox(language: nil), values = SourceValues(body: "")
        #expect(try sandbox.value(SourceQuery("SELECT year(1830)"), values) == .integer(1830))
        #expect(try sandbox.value(SourceQuery("SELECT year(-500)"), values) == .integer(-500))
        #expect(try sandbox.value(SourceQuery("SELECT year(NULL)"), values) == .null)
        // A typing error with six digits, as the Met has some.
        #expect(try sandbox.value(SourceQuery("SELECT year(183001)"), values) == .null)
    }
}
