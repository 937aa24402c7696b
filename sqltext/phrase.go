package sqltext

// PhraseWord is a token with its place in a text, From to To in bytes, and how many parentheses are open before it.
type PhraseWord struct {
	Token
	From, To, Depth int
}

// Phrase is a text as its tokens, white space and comments left out.
type Phrase struct {
	Text  string
	Words []PhraseWord
}

// Phrase reads a text.
func (q Quoting) Phrase(sql string) Phrase {
	out := Phrase{Text: sql}
	at, depth := 0, 0
	for t := range q.Tokens(sql) {
		from := at
		at += len(t.Text)
		if t.Kind == Blank || t.Kind == Comment {
			continue
		}
		if t.Text == ")" {
			depth--
		}
		out.Words = append(out.Words, PhraseWord{Token: t, From: from, To: at, Depth: depth})
		if t.Text == "(" {
			depth++
		}
	}
	return out
}

// At returns word i; one that is nothing before the first and behind the last.
func (p Phrase) At(i int) PhraseWord {
	if i < 0 || i >= len(p.Words) {
		return PhraseWord{}
	}
	return p.Words[i]
}

// Find returns where keywords, in lower case, stand one after the other outside parentheses, from word i on; -1 if nowhere.
func (p Phrase) Find(i int, sequence ...string) int {
	for ; i < len(p.Words); i++ {
		if p.Words[i].Depth == 0 && p.Has(i, sequence...) && p.At(i-1).Text != "." {
			return i
		}
	}
	return -1
}

// Has says whether keywords, in lower case, stand one after the other from word i on.
func (p Phrase) Has(i int, sequence ...string) bool {
	for j, s := range sequence {
		if !p.At(i + j).Is(s) {
			return false
		}
	}
	return true
}

// Part is the text from word i up to word j.
func (p Phrase) Part(i, j int) string {
	if i >= len(p.Words) || i >= j {
		return ""
	}
	return p.Text[p.Words[i].From:p.Words[min(j, len(p.Words))-1].To]
}

// Close returns the word that closes the parenthesis which word i opens; how many words there are where none does.
func (p Phrase) Close(i int) int {
	for j := i + 1; j < len(p.Words); j++ {
		if p.Words[j].Text == ")" && p.Words[j].Depth == p.At(i).Depth {
			return j
		}
	}
	return len(p.Words)
}

// Open returns the word that opens the parenthesis which word i closes; -1 where none does.
func (p Phrase) Open(i int) int {
	for j := min(i, len(p.Words)) - 1; j >= 0; j-- {
		if p.Words[j].Text == "(" && p.Words[j].Depth == p.At(i).Depth {
			return j
		}
	}
	return -1
}

// Commas are the words that divide what stands in the parenthesis which word i opens.
func (p Phrase) Commas(i int) (out []int) {
	for j, end := i+1, p.Close(i); j < end; j++ {
		if p.Words[j].Text == "," && p.Words[j].Depth == p.Words[i].Depth+1 {
			out = append(out, j)
		}
	}
	return out
}

// List is what the commas divide there; nil where word i opens none.
func (p Phrase) List(i int) (out []string) {
	if p.At(i).Text != "(" {
		return nil
	}
	from := i + 1
	for _, at := range append(p.Commas(i), p.Close(i)) {
		out = append(out, p.Part(from, at))
		from = at + 1
	}
	return out
}

// Symbol says whether word i and those behind it are the signs of one operator.
func (p Phrase) Symbol(i int, signs string) bool {
	for j := range len(signs) {
		w := p.At(i + j)
		if w.Kind != Symbol || w.Text != signs[j:j+1] || j > 0 && w.From != p.At(i+j-1).To {
			return false
		}
	}
	return true
}
