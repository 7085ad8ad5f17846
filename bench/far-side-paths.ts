/** Where the judge answers; apart from the model, which answers at `/v1/chat/completions`. */
export const JUDGE_PATH = '/judge'

/** Where the reflection service answers: it takes its time, and approves. */
export const REFLECTOR_PATH = '/reflector'
export const REFLECTOR_MS = 500

/** Where a model streams words, and then a tool call. */
export const STREAM_PATH = '/stream/v1/chat/completions'
