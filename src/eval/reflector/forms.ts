import { z } from 'zod'

/** The forms of the public data, as far as it is read. */

const functionForm = z.object({
  name: z.string(),
  description: z.string().default(''),
  parameters: z.record(z.string(), z.unknown()).default({}),
})

const messageForm = z.object({ role: z.string(), content: z.string() })

export const questionForm = z.object({
  id: z.string(),
  question: z.array(z.array(messageForm)).min(1),
  function: z.array(functionForm).min(1),
})

/** Of each function, of each of its parameters: all values that are right. An empty text: it may be left out. */
export const answerForm = z.object({
  id: z.string(),
  ground_truth: z.array(z.record(z.string(), z.record(z.string(), z.array(z.unknown()).min(1)))).min(1),
})

const jsonText = <T>(form: z.ZodType<T>) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: 'text that is no JSON' })
        return z.NEVER
      }
    })
    .pipe(form)

const callForm = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })

export const when2callForm = z.object({
  uuid: z.string(),
  question: z.string(),
  correct_answer: z.string(),
  answers: z.object({ tool_call: jsonText(callForm).nullable().optional() }),
  tools: z.array(jsonText(functionForm)),
  orig_tools: z.array(jsonText(functionForm)).nullable().optional(),
})

export type FunctionSpec = z.infer<typeof functionForm>
