/// A word that has a meaning in date texts.
enum DateWord: Hashable {
    /// Says nothing about the years: `circa`, `of`, `before`, a month, a season.
    case filler
    /// A century behind an ordinal (`19th c.`), otherwise `circa`.
    case letterC
    case century, millennium
    /// `-tallet`, behind the first year of a century (Danish).
    case hundreds
    /// `early`, `mid`, `late`.
    case part(DatePart)
    /// `half` (2), `quarter` (4); ``third`` is a word of its own, since it is an ordinal too.
    case fraction(Int)
    case third
    /// `last`, before a fraction.
    case last
    /// `twenty`, before a dash and an ordinal.
    case twenty
    case era(DateEra)
    /// `and`, `or`.
    case and
    /// `period`, `dynasty`: the years beside it are those of a period, not of the work.
    case period

    /// What follows a number directly in an ordinal.
    static let ordinalSuffixes: Set<String> = [
        "st", "nd", "rd", "th", "e", "er", "re", "eme", "ieme", "de", "ste", "o", "a",
    ]
    /// What follows a number directly in a decade.
    static let decadeSuffixes: Set<String> = ["s", "er", "ern", "erne", "es"]

    /// The eras of two words, in lower case, without their dots.
    static let erasOfTwoWords: [String: DateEra] = [
        "v chr": .before, "vor chr": .before, "vor christus": .before, "f kr": .before, "for kr": .before,
        "av jc": .before, "avant jc": .before, "a c": .before, "b c": .before, "n chr": .after,
        "nach chr": .after,
        "e kr": .after, "efter kr": .after, "ap jc": .after, "apres jc": .after, "d c": .after, "a d": .after,
        "a h": .other,
    ]

    /// The tokens of known words, in folded form.
    static let tokens: [String: DateToken] = {
        var tokens: [String: DateToken] = [:]
        func add(_ token: DateToken, _ words: String) {
            for word in words.split(separator: " ") { tokens[String(word)] = token }
        }
        add(.word(.filler), fillers)
        add(.word(.filler), months)
        add(.word(.letterC), "c")
        add(
            .word(.century),
            "century centuries cent jh jhdt jahrhundert jahrhunderts siecle siecles siglo siglos secolo secoli"
        )
        add(.word(.century), "sec eeuw arhundrede arhundredes arh arhundrade sekel seculo saec saeculum")
        add(
            .word(.millennium),
            "millennium millennia millenium millenia jahrtausend millenaire millennio milenio artusinde")
        add(.word(.hundreds), "tallet tallets talet talets tal")
        add(
            .word(.part(.early)),
            "early begin beginning anfang fruhes fruhe debut principios inizio begyndelsen tidlig tidligt"
        )
        add(.word(.part(.mid)), "mid middle mitte milieu mediados meta midden midten")
        add(.word(.part(.late)), "late end ende spates fin finales fine eind einde slutningen sen sent")
        add(.word(.fraction(2)), "half halves halfte moitie mitad helft halvdel")
        add(.word(.fraction(4)), "quarter viertel quart cuarto quarto kwart fjerdedel kvartal kvart")
        add(.word(.third), "third drittel tiers tercio terzo tredjedel")
        add(.word(.last), "last final letztes letzte letzten dernier derniere ultimo ultima laatste sidste")
        add(.word(.twenty), "twenty")
        add(.word(.era(.before)), "bc bce vchr fkr ac")
        add(.word(.era(.after)), "ad ce nchr ekr dc")
        add(.word(.era(.other)), "ah am hijri hegira bp")
        add(.word(.and), "and or und oder et ou y e o og eller en")
        add(.dash, "to until till til bis a au al tot through thru")
        add(
            .word(.period),
            "period periods dynasty dynasties era kingdom reign reigned epoch perioden dynasti zeit epoque periodo"
        )
        let ordinals = [
            "first erste ersten erstes 1er premier premiere primera primer prima primo eerste forste",
            "second zweite zweiten zweites deuxieme seconde segunda segundo seconda secondo tweede anden andet",
            "dritte drittes troisieme tercer tercera terza derde tredje",
            "fourth viertes vierte quatrieme cuarta quarta vierde fjerde", "fifth", "sixth", "seventh",
            "eighth",
            "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
            "seventeenth", "eighteenth", "nineteenth", "twentieth",
        ]
        for (index, words) in ordinals.enumerated() { add(.ordinal(index + 1), words) }
        return tokens
    }()

    private static let fillers = """
        ca cca circa cirka um omkring vers env environ hacia h approx approximately about around perhaps possibly \
        probably likely prob presumably dated date of the in on from between mellem mellan zwischen entre tra fra \
        before after earlier later by prior not no earlier than since post ante pre vor nach avant apres for inden efter senest \
        tidligst antes despues prima dopo voor na del de des du la le el il lo van von der den det dem di da do year \
        years jahr jahre jahren ar annee annees ano anos anni af ved summer autumn fall winter spring
        """

    private static let months = """
        january february march april may june july august september october november december jan feb mar apr jun jul \
        aug sep sept oct nov dec januar februar marz marts maj mai juni juli oktober dezember desember december \
        januari februari maart mei augustus janvier fevrier mars avril juin juillet aout septembre octobre novembre \
        decembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio \
        febbraio aprile maggio giugno luglio settembre ottobre dicembre
        """
}

/// The era of a year.
enum DateEra: Hashable {
    /// Before Christ.
    case before
    /// After Christ.
    case after
    /// Another calendar.
    case other
}

/// A part of a century or decade.
enum DatePart: Hashable {
    case early, mid, late
    /// `first half` is 1 of 2.
    case fraction(Int, of: Int)

    /// The part of a century or millennium, between 0 and 1.
    var ofCentury: (from: Double, to: Double) {
        switch self {
        case .early: (0, 0.25)
        case .mid: (0.25, 0.75)
        case .late: (0.75, 1)
        case .fraction(let number, let count):
            (Double(number - 1) / Double(count), Double(number) / Double(count))
        }
    }

    /// The part of a decade, between 0 and 1.
    var ofDecade: (from: Double, to: Double) {
        switch self {
        case .early: (0, 0.5)
        case .mid: (0.3, 0.7)
        case .late: (0.5, 1)
        case .fraction: ofCentury
        }
    }
}
