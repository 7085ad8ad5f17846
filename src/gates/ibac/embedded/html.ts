/** One text of a page, with the name of the attribute that it stands in. */
interface PageText {
  readonly key: string
  readonly text: string
}

const ELEMENT =
  /<\/?(?:html|body|div|p|a|span|h[1-6]|ul|ol|li|table|tr|td|section|article|form|input|label|br|img|strong|em|header|footer|main|nav|button|script|style)\b[^<>]{0,2000}>/i
const TAG = /<\/?([A-Za-z][\w-]{0,40})([^<>]{0,2000})>/g
/** Tags that no page has, and that a model may take for its operator: they stay in the text. */
const PSEUDO = /^(?:information|system|instructions?|admin|important|task|assistant|inst|prompt|user|override)$/i
const POINTS = /\b(href|src|action|id|name)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/gi
const BLOCK =
  /^(?:p|div|section|article|li|ul|ol|h[1-6]|table|tr|form|header|footer|main|nav|body|html|blockquote|pre)$/i
const ENTITIES: readonly (readonly [string, string])[] = [
  ['&nbsp;', ' '],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
]

export function looksLikeHtml(text: string): boolean {
  return text.includes('<') && ELEMENT.test(text)
}

/** What a page says, as one text, and what its elements point at or are called, each by itself. */
export function htmlTexts(html: string): readonly PageText[] {
  const pointed: PageText[] = []
  const bare = html.replace(TAG, (tag, name: string, attributes: string) => {
    pointed.push(...pointedAt(attributes))
    if (PSEUDO.test(name)) return tag
    return BLOCK.test(name) ? '\n\n' : ' '
  })
  const text = withoutEntities(bare)
    .replace(/[ \t]+/g, ' ')
    .replace(/\n\s*\n\s*/g, '\n\n')
  return text.trim() === '' ? pointed : [{ key: '', text }, ...pointed]
}

function pointedAt(attributes: string): readonly PageText[] {
  return [...attributes.matchAll(POINTS)]
    .map(([, key = '', double, single]) => ({ key: key.toLowerCase(), text: double ?? single ?? '' }))
    .filter(({ text }) => text !== '')
}

function withoutEntities(text: string): string {
  return ENTITIES.reduce((plain, [entity, sign]) => plain.replaceAll(entity, sign), text)
}
