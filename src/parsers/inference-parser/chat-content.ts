import { objectsIn, textOf } from './dialect.ts'

/** The words of a message: a string, or the text parts of a list. Images, files and sound have none. */
export function contentText(content: unknown, between: string): string {
  if (!Array.isArray(content)) return textOf(content)
  const parts = (content as readonly unknown[]).flatMap((part) =>
    typeof part === 'string' ? [{ text: part }] : [part],
  )
  return objectsIn(parts)
    .map((part) => textOf(part['text'] ?? part['refusal']))
    .filter((text) => text !== '')
    .join(between)
}
