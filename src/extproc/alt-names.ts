/** One name, as Node lists those of a certificate: a value with special characters stands in quotes. */
const NAME = /([^:,"]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/y

/** The first URI among the alternative names of a certificate, such as a SPIFFE id. */
export function firstUri(subjectAltName: string | undefined): string | undefined {
  for (const [kind, value] of names(subjectAltName ?? '')) if (kind === 'URI') return unquoted(value)
  return undefined
}

function* names(text: string): Generator<readonly [kind: string, value: string]> {
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found !== null && found[0] !== ''; found = NAME.exec(text)) {
    const at = NAME.lastIndex
    yield [found[1] ?? '', found[2] ?? '']
    NAME.lastIndex = at
  }
}

function unquoted(value: string): string | undefined {
  const plain: unknown = value.startsWith('"') ? JSON.parse(value) : value
  return typeof plain === 'string' && plain !== '' ? plain : undefined
}
