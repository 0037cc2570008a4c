import Catalogue
import Testing

@Suite("Partner texts with HTML") struct PlainTextTests {
    @Test func `known tags are removed, entities decoded once, and anything else stays`() {
        let cases = [
            ("", ""), ("Plain  text\n\nof two lines ", "Plain  text\n\nof two lines "),
            ("<p>First <b>bold</b> words.</p><p>Second.</p>", "First bold words.\nSecond."),
            ("<P class=\"x\">One</P>\n\n<p>Two</p>\n", "One\nTwo"), ("a<br>b<br/>c<br />d", "a\nb\nc\nd"),
            ("One <em>word</em>.\n\nTwo  words.", "One word.\n\nTwo  words."),
            ("Ink &amp; wash", "Ink & wash"), ("&lt;b&gt; &amp;lt;", "<b> &lt;"),
            ("&quot;q&quot; &#39;s&apos; &#x27;&#8217;", "\"q\" 's' '’"), ("a&nbsp;b&#160;c", "a b c"),
            ("AT&T & co; &unknown;", "AT&T & co; &unknown;"), ("a < b > c", "a < b > c"),
            ("<untitled>", "<untitled>"), ("<paper> and <pre-war>", "<paper> and <pre-war>"),
            ("<script>x</script><!-- c -->", "<script>x</script><!-- c -->"), ("<a@b.org>", "<a@b.org>"),
            ("<p", "<p"), ("1 <i", "1 <i"), ("</", "</"), ("<", "<"), ("&", "&"), ("<p></p>", ""),
            ("<a href='x>y'>link</a>", "link"), ("<i>日本</i>é", "日本é"),
        ]
        for (text, shown) in cases { #expect(PlainText.shown(text) == shown, "\(text)") }
    }

    @Test(arguments: ["<", "<p", "<p ", "<p \"", "<p '>", "</", "&", "&#", "<p>", "<untitled>"])
    func `a text of 100 kB is read in time that grows with its length`(piece: String) {
        let text = String(repeating: piece, count: 100_000 / piece.utf8.count)
        let clock = ContinuousClock()
        #expect(clock.measure { _ = PlainText.shown(text) } < .seconds(10))
    }
}
