import Testing

extension YearSpanTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String, first: Int, last: Int
        var testDescription: String { text }
    }

    /// Reads lines of a text and its first and last year.
    private static func rows(_ table: String) -> [Row] {
        table.split(separator: "\n").map { line in
            let cells = line.split(separator: "|"),
                years = cells[1].split(separator: " ").compactMap { Int($0) }
            // The space before the bar belongs to the table.
            return Row(text: String(cells[0].dropLast()), first: years[0], last: years[1])
        }
    }

    static let yearTexts = rows(
        """
        c. 1830–1832 | 1830 1832
        ca. 1650 | 1650 1650
        before 1500 | 1500 1500
        after 1900 | 1900 1900
        1514/1529 | 1514 1529
        1914-18 | 1914 1918
        1999-2003 | 1999 2003
        printed 1980 | 1980 1980
        12/5/1998 | 1998 1998
        1998.12.5 | 1998 1998
        1998-12-05 | 1998 1998
        5.12.1998 | 1998 1998
        1998-12 | 1998 1998
        1901-02 | 1901 1902
        1899-00 | 1899 1900
        MDCCLXXVI | 1776 1776
        Edo period (1603-1867), c. 1790-1830 | 1790 1830
        Qianlong period (1736-1795) | 1736 1795
        Tang Dynasty, 618-907 | 618 907
        26th Dynasty, 664-525 BCE | -664 -525
        New Kingdom, 18th Dynasty, c. 1570-1320 BCE | -1570 -1320
        June 10-12, 1954 | 1954 1954
        May 26 - 28,1969 | 1969 1969
        December 31, 1966 - January 1, 1967 | 1966 1967
        12 June 1914 - 18 July 1916 | 1914 1916
        August - September1970 | 1970 1970
        8/1959 | 1959 1959
        1916, printed 1981 | 1916 1916
        1986, 2007 | 1986 2007
        after 1945, before 1957 | 1945 1957
        c. 50-320 | 50 320
        607 | 607 607
        (1950) | 1950 1950
        ?1829 | 1829 1829
        1981–2 | 1981 1982
        c.1898–9 | 1898 1899
        1989- | 1989 1989
        1999–present | 1999 1999
        1852/XII | 1852 1852
        1960, Design Patent 191,300, 1961 | 1960 1960
        December 1951 - January 1052 | 1951 1951
        Model: 1901; Cast: 1918-1919 | 1901 1901
        1871–1872, 1879 | 1871 1879
        1860 (published 1861) | 1860 1860
        1979 or 1980 | 1979 1980
        1858 or 59 | 1858 1859
        Project: 1891-1895; Drawn January 25, 1894 | 1891 1895
        1861 (?)-1865 (?) | 1861 1865
        spring 2003 | 2003 2003
        probably 1626/1641 | 1626 1641
        1995 (February) | 1995 1995
        1884–86, painted border 1888/89 | 1884 1886
        Ptolemaic Period–Roman Period (about 200 BCE–100 CE) | -200 100
        1850-1900 (made) | 1850 1900
        dated 1607 | 1607 1607
        c. 1535/40 | 1535 1540
        1941 (printed later) | 1941 1941
        1882, cast later | 1882 1882
        between 1912 and 1914 | 1912 1914
        ca. 1600-1625 | 1600 1625
        1848 - 50 | 1848 1850
        """)

    static let centuryTexts = rows(
        """
        19th century | 1801 1900
        late 19th–early 20th century | 1876 1925
        1830s | 1830 1839
        2nd half of 17th century | 1651 1700
        17th century, second half | 1651 1700
        nineteenth century | 1801 1900
        twenty-first century | 2001 2100
        1800s | 1801 1900
        late 1800s | 1876 1900
        1890s-1900s | 1890 1909
        1700s–1800s | 1701 1900
        2000s | 2000 2009
        early 1830s | 1830 1834
        18th and 19th centuries | 1701 1900
        c. 18-19th century | 1701 1900
        first third 19th century | 1801 1833
        3rd quarter 19th century | 1851 1875
        third quarter of the 18th century | 1751 1775
        mid- to late-19th century | 1826 1900
        19th c. | 1801 1900
        late 18th c.-early 19th c. | 1776 1825
        1st–2nd century | 1 200
        late5th century | 476 500
        18th century (?) | 1701 1800
        ca. 1850s–60s | 1850 1869
        late 1700s-early 1800s | 1776 1825
        probably 1780s | 1780 1789
        17th century or later | 1601 1700
        possibly 1940s | 1940 1949
        """)

    static let eraTexts = rows(
        """
        500 BCE | -500 -500
        3rd century BC | -300 -201
        332-30 BC | -332 -30
        ca. 1388-1351/50 BC | -1388 -1350
        AD 40 | 40 40
        AD 20-60 | 20 60
        50 BC-AD 50 | -50 50
        1st century BC-AD 1st century | -100 100
        1-199 CE | 1 199
        941 AH/AD 1534 | 1534 1534
        dated A.H. 1009/A.D. 1600–1601 | 1600 1601
        11th century AH/AD 17th century-12th century AH/AD 18th century | 1601 1800
        934-935 AH/AD 1528-1529 | 1528 1529
        1866-1867 (AH 1283) | 1866 1867
        7192 AM/AD 1684 | 1684 1684
        3,500-2,000 BC | -3500 -2000
        10,000 BCE | -10000 -10000
        early 2nd millennium BC | -2000 -1751
        100 B. C. | -100 -100
        490s BC | -499 -490
        1850-1750 B.C.E. | -1850 -1750
        ca. 1390–1352 B.C. | -1390 -1352
        15 March 44 BC | -44 -44
        300s BC | -399 -300
        late 6th century B.C. | -525 -501
        ca. 1981–1975 B.C. | -1981 -1975
        1st century B.C.–1st century A.D. | -100 100
        """)

    static let foreignTexts = rows(
        """
        17 de mayo de 1808 | 1808 1808
        1800-tallet | 1801 1900
        1830'erne | 1830 1839
        1. halvdel af 1600-tallet | 1601 1650
        Slutningen af 1500-tallet | 1576 1600
        mellem 1830 og 1840 | 1830 1840
        17. århundrede | 1601 1700
        o. 1650 | 1650 1650
        Efter 1830 | 1830 1830
        1500-1600-tallet | 1501 1700
        2. Hälfte 17. Jh. | 1651 1700
        Anfang 17. Jahrhundert | 1601 1625
        16./17. Jahrhundert | 1501 1700
        um 1650/60 | 1650 1660
        500 v. Chr. | -500 -500
        5. Jh. v. Chr. | -500 -401
        500 f.Kr. | -500 -500
        Ve siècle av. J.-C. | -500 -401
        XVIIe siècle | 1601 1700
        fin du XIXe siècle | 1876 1900
        entre 1650 et 1660 | 1650 1660
        siglo XVIII | 1701 1800
        siglos XVI-XVII | 1501 1700
        secolo XVI | 1501 1600
        XV secolo, seconda metà | 1401 1500
        １８３０年 | 1830 1830
        2 a.C. | -2 -2
        100 d.C. | 100 100
        1830er Jahre | 1830 1839
        Begyndelsen af 1900-tallet | 1901 1925
        17de eeuw | 1601 1700
        1º mitad del siglo XVII | 1601 1650
        Sidste fjerdedel af 1600-tallet | 1676 1700
        1. kvartal 1800-tallet | 1801 1825
        Midten af 1700-tallet | 1726 1775
        tidligst 1632 | 1632 1632
        senest 1632 | 1632 1632
        29. april 1848 | 1848 1848
        """)
}
