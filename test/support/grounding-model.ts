import type { Judging } from './judge.ts'

/**
 * A model behind ALTK that judges by a rule: a function fits always, and an argument is grounded when its value stands in
 * the conversation.
 */
export const judgeGrounding: Judging = ({ arrival }) => {
  const { messages } = JSON.parse(arrival.body.toString('utf8')) as {
    readonly messages: readonly { content: string }[]
  }
  const asked = messages.at(-1)?.content ?? ''
  if (asked.includes('Tools Inventory:')) return metric(5, 'The function fits.')
  const call = JSON.parse(section(asked, 'Proposed tool call:\n')) as { function: { arguments: string } }
  const conversation = section(asked, 'Conversation context:\n')
  const values = Object.entries(JSON.parse(call.function.arguments) as Record<string, unknown>)
  const invented = values.filter(([, value]) => !conversation.includes(String(value))).map(([name]) => name)
  if (invented.length === 0) return metric(5, 'Every value stands in the conversation.')
  return metric(1, `${INVENTED}: ${invented.join(', ')}.`)
}

/** Words of the model, which show whether a text came from it. */
export const INVENTED = 'Nobody ever mentioned'

function metric(output: number, explanation: string) {
  return { content: JSON.stringify({ evidence: '-', explanation, output, confidence: 0.95, correction: {} }) }
}

function section(text: string, mark: string): string {
  return text.split(mark)[1]?.split('\n\n')[0] ?? ''
}
