const SENTENCE = /[^.!?\n]+[.!?\n]*/g
const QUESTION =
  /^[^\p{L}]*(?:and |so |also |hi,? |hello,? |hey,? )?(?:what|who|whom|whose|when|where|which|why|how|did|does|do|has|have|had|is|are|was|were)\b(?! about\b)/u
/** Where a question goes over into a wish: "who was there, and write to them". */
const WISH =
  /\b(?:please|kindly|then|could you|can you|would you|will you|i want|i need|i'd like|and (?:also )?(?=\p{L}+ (?:it|them|that|this|the|a|an|me|him|her|us|my|to|all)\b))/u

/**
 * The text of a user without what only asks: "what did Bob write?" wants nobody to write. What is wished behind a question
 * stays. In lower case.
 */
export function withoutQuestions(lower: string): string {
  const sentences = lower.match(SENTENCE) ?? []
  return sentences
    .map((sentence) => {
      if (!QUESTION.test(sentence)) return sentence
      const wish = sentence.search(WISH)
      return wish === -1 ? '' : sentence.slice(wish)
    })
    .join(' ')
}
